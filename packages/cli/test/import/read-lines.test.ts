import fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { type Line, type Position, readLines } from '../../src/import/read-lines.ts'

const START: Position = { offset: 0, line: 0 }

async function linesOf(content: string | Buffer, from = START): Promise<Line[]> {
  const folder = new TemporaryFolder()
  onTestFinished(() => folder[Symbol.dispose]())
  const path = join(folder.path, 'lines')
  writeFileSync(path, content)
  return Array.fromAsync(readLines(path, from, Buffer.byteLength(content)))
}

const texts = (lines: readonly Line[]) => lines.map(({ bytes }) => bytes.toString())

test('yields the numbered lines in a file, with or without a final newline', async () => {
  const lines = await linesOf('one\n\nthrée\nlast')
  expect(texts(lines)).toEqual(['one', '', 'thrée', 'last'])
  expect(lines.map(({ number, end }) => [number, end])).toEqual([
    [1, 4],
    [2, 5],
    [3, 12],
    [4, 16],
  ])
  expect(texts(await linesOf('one\ntwo\n'))).toEqual(['one', 'two'])
  expect(await linesOf('')).toEqual([])
})

test('resumes at the end of any line, and yields the remaining lines', async () => {
  const content = fc.array(fc.string({ unit: 'binary', maxLength: 60_000 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(content, fc.nat(), async (parts, random) => {
      const text = parts.join('\n')
      const all = await linesOf(text)
      const last = all[random % (all.length || 1)]
      const from = last === undefined ? START : { offset: last.end, line: last.number }
      expect(await linesOf(text, from)).toEqual(all.slice(from.line))
    }),
    { numRuns: 50 },
  )
})

test('keeps only the first MiB of a longer line', async () => {
  const bound = 1024 * 1024
  const lines = await linesOf(`${'x'.repeat(bound)}\n${'y'.repeat(3 * bound)}\nlast`)
  expect(lines.map(({ bytes, isCut }) => [bytes.length, isCut])).toEqual([
    [bound, false],
    [bound, true],
    [4, false],
  ])
  expect(lines.at(-1)).toMatchObject({ number: 3, end: 4 * bound + 6 })
})

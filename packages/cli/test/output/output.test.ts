import { expect, onTestFinished, test, vi } from 'vitest'
import { Output } from '../../src/output/output.ts'
import { reportFailure } from '../../src/report-failure.ts'
import { Failure } from '../../src/failure.ts'

const ESC = '\u001b'
/** C1 has a CSI of its own, which needs no ESC. The rest reverses the order of text, or hides it. */
const CONTROLS =
  '\u0000\u0007\u001b\u007f\u0085\u009b\u061c\u200e\u200f\u202a\u202e\u2066\u2069'.split('')
const HOSTILE = `a${CONTROLS.join('b')}c`

/** What is written to a stream while the function runs. */
function written(stream: NodeJS.WriteStream, run: () => void): string {
  let text = ''
  const write = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
    text += String(chunk)
    return true
  })
  onTestFinished(() => write.mockRestore())
  run()
  return text
}

const controlsIn = (text: string): string[] => CONTROLS.filter((each) => text.includes(each))

test('JSON on stdout has no control character, and parses to the same value', () => {
  const value = { [HOSTILE]: [HOSTILE, { name: `${HOSTILE}\n\t"\\`, other: 'Größe 🎉' }] }
  const output = new Output({ json: true })
  for (const write of [() => output.data(value, () => ''), () => output.json(value)]) {
    const text = written(process.stdout, write)
    expect(controlsIn(text)).toEqual([])
    expect(text).toMatch(/^[^\n]+\n$/)
    expect(JSON.parse(text)).toEqual(value)
  }
})

test('text for people has no control character but line breaks, and keeps its colours', () => {
  const output = new Output({})
  const text = `${ESC}[1;31mred${ESC}[0m\n${HOSTILE.replaceAll(ESC, `${ESC}[2J`)}`
  for (const [stream, write] of [
    [process.stdout, () => output.data({}, () => text)],
    [process.stdout, () => output.show(text)],
    [process.stderr, () => output.note(text)],
  ] as const) {
    const [first, second] = written(stream, write).split('\n')
    expect(first).toBe(`${ESC}[1;31mred${ESC}[0m`)
    expect(controlsIn(second!)).toEqual([])
    expect(second).toContain('a\ufffdb\ufffdb\ufffd[2Jb')
  }
})

test.each([true, false])('a failure is shown without control characters, as JSON: %s', (json) => {
  const failure = new Failure('failed', HOSTILE, { hint: HOSTILE })
  const text = written(process.stderr, () => reportFailure(failure, json))
  expect(controlsIn(text.replaceAll(`${ESC}[`, ''))).toEqual([])
})

import { expect, test } from 'vitest'
import { ParsingTurns } from '../../../src/ingest/body/parsing-turns.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const KIB = 1024

test('small bodies are parsed at once, and large ones a few in each turn of the event loop, in order', async () => {
  const clock = new ManualClock()
  const turns = new ParsingTurns(clock)
  const parsed: string[] = []
  const add = (name: string, bytes: number): void =>
    turns.run(() => {
      parsed.push(name)
      return bytes
    })
  add('small', 64 * KIB)
  add('large', 400 * KIB)
  expect(parsed).toEqual(['small', 'large'])
  expect(turns.isOpen).toBe(false)
  for (const name of ['a', 'b', 'c']) add(name, 100 * KIB)
  add('d', 1 * KIB)
  expect(parsed).toHaveLength(2)
  await clock.turn()
  expect(parsed.slice(2)).toEqual(['a', 'b'])
  await expect.poll(() => parsed.slice(4)).toEqual(['c', 'd'])
  await clock.turn()
  expect(turns.isOpen).toBe(true)
})

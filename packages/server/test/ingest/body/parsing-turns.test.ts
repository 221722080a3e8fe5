import { expect, test } from 'vitest'
import { ParsingTurns } from '../../../src/ingest/body/parsing-turns.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const KIB = 1024

test('small bodies are parsed at once, and large ones a few in each turn of the event loop, in order', async () => {
  const clock = new ManualClock()
  const turns = new ParsingTurns(clock)
  expect(turns.take(64 * KIB)).toBeUndefined()
  expect(turns.take(400 * KIB)).toBeUndefined()
  const parsed: string[] = []
  const waiting = ['a', 'b', 'c', 'd'].map((name, index) =>
    Promise.resolve(turns.take(index === 3 ? 1 * KIB : 100 * KIB)).then(() => parsed.push(name)),
  )
  await clock.turn()
  expect(parsed).toEqual(['a', 'b'])
  await Promise.all(waiting)
  expect(parsed).toEqual(['a', 'b', 'c', 'd'])
  await clock.turn()
  expect(turns.take(1 * KIB)).toBeUndefined()
})

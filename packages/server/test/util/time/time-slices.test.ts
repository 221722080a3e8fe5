import { expect, test } from 'vitest'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { MAX_SLICE_MS, TimeSlices } from '../../../src/util/time/time-slices.ts'

test('a loop yields only when its slice has ended', async () => {
  const clock = new ManualClock()
  let hadTurn = false
  const slices = new TimeSlices(clock)
  setImmediate(() => (hadTurn = true))
  clock.advance(MAX_SLICE_MS - 1)
  await slices.yieldIfOver()
  expect(hadTurn).toBe(false)
  clock.advance(1)
  await slices.yieldIfOver()
  expect(hadTurn).toBe(true)
})

test('the next slice begins after the yield', async () => {
  const clock = new ManualClock()
  const slices = new TimeSlices(clock)
  clock.advance(MAX_SLICE_MS)
  await slices.yieldIfOver()
  let hadTurn = false
  setImmediate(() => (hadTurn = true))
  clock.advance(MAX_SLICE_MS - 1)
  await slices.yieldIfOver()
  expect(hadTurn).toBe(false)
})

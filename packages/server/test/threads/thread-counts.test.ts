import { expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { deliveryThreadsFor } from '../../src/threads/thread-counts.ts'

test.each([
  [1, 0],
  [2, 1],
  [3, 1],
  [4, 2],
  [6, 3],
  [16, 8],
  [64, 8],
])('with auto, %i cores have %i delivery threads', (cores, threads) => {
  expect(deliveryThreadsFor('auto', cores)).toBe(threads)
})

test('a number is taken as it is, whatever the cores', () => {
  expect(deliveryThreadsFor(3, 1)).toBe(3)
  expect(deliveryThreadsFor(0, 64)).toBe(0)
})

test('the setting is auto, or a number', () => {
  expect(parseConfig({})).toMatchObject({ deliveryThreads: 0 })
  for (const [value, deliveryThreads] of [
    ['32', 32],
    ['auto', 'auto'],
  ] as const)
    expect(parseConfig({ HOOKLINE_DELIVERY_THREADS: value })).toMatchObject({ deliveryThreads })
})

test.each(['33', '-1', '1.5', '', 'all'])('%j is no number of threads', (value) => {
  expect(() => parseConfig({ HOOKLINE_DELIVERY_THREADS: value })).toThrow(
    'HOOKLINE_DELIVERY_THREADS must be auto, or a whole number from 0 to 32',
  )
})

import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { hasReusePort } from '../../src/http/reuse-port.ts'
import { deliveryThreadsFor, ingestThreadsFor } from '../../src/threads/thread-counts.ts'

describe('with auto', () => {
  test.each([
    [1, 0, 0],
    [2, 1, 1],
    [3, 1, 1],
    [4, 1, 2],
    [6, 1, 3],
    [8, 2, 4],
    [16, 4, 8],
    [64, 4, 8],
  ])('%i cores have %i ingest threads and %i delivery threads', (cores, ingest, delivery) => {
    expect(ingestThreadsFor('auto', { cores, hasReusePort: true })).toBe(ingest)
    expect(deliveryThreadsFor('auto', { cores })).toBe(delivery)
  })
})

test('a number is taken as it is, whatever the cores', () => {
  expect(ingestThreadsFor(3, { cores: 1, hasReusePort: true })).toBe(3)
  expect(deliveryThreadsFor(3, { cores: 1 })).toBe(3)
  expect(deliveryThreadsFor(0, { cores: 64 })).toBe(0)
})

test.each([
  [0, 0],
  [1, 1],
  [3, 1],
  ['auto', 1],
] as const)('without a shared port, %s ingest threads become %i', (setting, threads) => {
  expect(ingestThreadsFor(setting, { cores: 64, hasReusePort: false })).toBe(threads)
})

test('the settings are auto, or a number', () => {
  const environment = { HOOKLINE_INGEST_THREADS: '32', HOOKLINE_DELIVERY_THREADS: 'auto' }
  expect(parseConfig(environment)).toMatchObject({ ingestThreads: 32, deliveryThreads: 'auto' })
})

test.each(['33', '-1', '1.5', '', 'all'])('%j is no number of threads', (value) => {
  for (const name of ['HOOKLINE_INGEST_THREADS', 'HOOKLINE_DELIVERY_THREADS'])
    expect(() => parseConfig({ [name]: value })).toThrow(
      `${name} must be auto, or a whole number from 0 to 32`,
    )
})

test.runIf(process.platform === 'linux')('on Linux, threads can share a port', async () => {
  expect(await hasReusePort()).toBe(true)
})

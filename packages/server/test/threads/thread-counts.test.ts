import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { hasReusePort } from '../../src/threads/reuse-port.ts'
import { threadsFor } from '../../src/threads/thread-counts.ts'

const AUTO = { ingestThreads: 'auto', deliveryThreads: 'auto' } as const

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
    expect(threadsFor(AUTO, { cores, hasReusePort: true })).toEqual({ ingest, delivery })
  })

  test('there is one ingest thread where a port cannot be shared', () => {
    const machine = { cores: 64, hasReusePort: false }
    expect(threadsFor(AUTO, machine)).toEqual({ ingest: 1, delivery: 8 })
  })
})

test('a number is taken as it is, whatever the cores', () => {
  const settings = { ingestThreads: 3, deliveryThreads: 0 }
  expect(threadsFor(settings, { cores: 1, hasReusePort: true })).toEqual({ ingest: 3, delivery: 0 })
})

test.each([
  [0, 0],
  [1, 1],
  [3, 1],
])('without a shared port, %i ingest threads become %i', (ingestThreads, ingest) => {
  const counts = threadsFor({ ...AUTO, ingestThreads }, { cores: 8, hasReusePort: false })
  expect(counts.ingest).toBe(ingest)
})

test('the settings are auto, or a number', () => {
  expect(parseConfig({})).toMatchObject(AUTO)
  const environment = { HOOKLINE_INGEST_THREADS: '0', HOOKLINE_DELIVERY_THREADS: '32' }
  expect(parseConfig(environment)).toMatchObject({ ingestThreads: 0, deliveryThreads: 32 })
})

test.each(['33', '-1', '1.5', '', 'all'])('%j is no number of threads', (value) => {
  expect(() => parseConfig({ HOOKLINE_DELIVERY_THREADS: value })).toThrow(
    'HOOKLINE_DELIVERY_THREADS must be auto, or a whole number from 0 to 32',
  )
})

test.runIf(process.platform === 'linux')('on Linux, threads can share a port', async () => {
  expect(await hasReusePort()).toBe(true)
})

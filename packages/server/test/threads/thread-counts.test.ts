import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { hasReusePort } from '../../src/http/listen.ts'
import { threadCounts } from '../../src/threads/thread-counts.ts'

const AUTO = { ingestThreads: 'auto', deliveryThreads: 'auto' } as const
const MACHINE = { cores: 64, hasReusePort: true, openFiles: 16_384 }

describe('with `auto`', () => {
  test.each([
    [1, 0, 0],
    [2, 0, 0],
    [3, 1, 1],
    [4, 1, 2],
    [6, 1, 3],
    [8, 2, 4],
    [16, 4, 8],
    [64, 4, 8],
  ])('%i cores have %i ingest threads and %i delivery threads', (cores, ingest, delivery) => {
    expect(threadCounts(AUTO, { ...MACHINE, cores })).toEqual({ ingest, delivery })
  })
})

test.each([
  [4_095, 0],
  [4_096, 4],
])('with a limit of %i open files, `auto` has %i ingest threads', (openFiles, ingest) => {
  expect(threadCounts(AUTO, { ...MACHINE, openFiles })).toEqual({ ingest, delivery: 8 })
})

test('a number overrides the core count', () => {
  const settings = { ingestThreads: 3, deliveryThreads: 0 }
  const machine = { ...MACHINE, cores: 1, openFiles: 1_024 }
  expect(threadCounts(settings, machine)).toEqual({ ingest: 3, delivery: 0 })
})

test.each([
  [0, 0],
  [1, 1],
  [3, 1],
  ['auto', 1],
] as const)('without a shared port, %s ingest threads become %i', (ingestThreads, ingest) => {
  const machine = { ...MACHINE, hasReusePort: false }
  expect(threadCounts({ ...AUTO, ingestThreads }, machine)).toMatchObject({ ingest })
})

test('the settings are `auto` or a number', () => {
  expect(parseConfig({})).toMatchObject(AUTO)
  const environment = { HOOKLINE_INGEST_THREADS: '32', HOOKLINE_DELIVERY_THREADS: '0' }
  expect(parseConfig(environment)).toMatchObject({ ingestThreads: 32, deliveryThreads: 0 })
})

test.each(['33', '-1', '1.5', '', 'all'])('%j is not a number of threads', (value) => {
  for (const name of ['HOOKLINE_INGEST_THREADS', 'HOOKLINE_DELIVERY_THREADS'])
    expect(() => parseConfig({ [name]: value })).toThrow(
      `${name} must be auto, or a whole number from 0 to 32`,
    )
})

test.runIf(process.platform === 'linux')('on Linux, threads can share a port', async () => {
  expect(await hasReusePort('127.0.0.1')).toBe(true)
})

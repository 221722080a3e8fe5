import { pino } from 'pino'
import { expect, test } from 'vitest'
import { RejectedKeyLogger } from '../../../src/ingest/write-key.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

const lineWith = (code: string, keyPrefix: string | null, requests: number) => ({
  level: 40,
  code,
  keyPrefix,
  requests,
  msg: 'write_key.rejected',
})

interface Line {
  readonly keyPrefix: string | null
  readonly requests: number
}

function openLogger() {
  const lines: unknown[] = []
  const logger = pino(
    { base: null, timestamp: false },
    { write: (line) => lines.push(JSON.parse(line)) },
  )
  const clock = new ManualClock()
  return { lines: lines as Line[], clock, keys: new RejectedKeyLogger(clock, logger) }
}

test('refused keys are logged with their prefix and a count, at most once a minute for each prefix and code', () => {
  const { lines, clock, keys } = openLogger()
  keys.add('wk_secret_1', 'unknown_write_key')
  keys.add('wk_secret_2', 'unknown_write_key')
  keys.add(undefined, 'unknown_write_key')
  keys.add('wk_secret_1', 'source_disabled')
  expect(lines).toEqual([
    lineWith('unknown_write_key', 'wk_sec', 1),
    lineWith('unknown_write_key', '', 1),
    lineWith('source_disabled', 'wk_sec', 1),
  ])

  clock.advance(59_999)
  keys.add('wk_secret_1', 'unknown_write_key')
  expect(lines).toHaveLength(3)
  clock.advance(1)
  expect(lines.at(-1)).toEqual(lineWith('unknown_write_key', 'wk_sec', 2))
})

test('40,000 different keys cause 21 log lines per minute, and each request is in one of the counts', () => {
  const { lines, clock, keys } = openLogger()
  const flood = () => {
    for (let index = 0; index < 40_000; index++)
      keys.add(`${index}`.padStart(6), 'unknown_write_key')
  }
  flood()
  expect(lines).toHaveLength(21)
  expect(lines.filter(({ keyPrefix }) => keyPrefix === null)).toHaveLength(1)
  lines.length = 0
  clock.advance(60_000)
  flood()
  expect(lines).toHaveLength(21)
  const others = lines.find(({ keyPrefix }) => keyPrefix === null)
  // All requests in the first minute, except for the 21 that were logged in it.
  expect(others?.requests).toBe(40_000 - 21)
})

test('a key with terminal control characters is logged without them', () => {
  const { lines, keys } = openLogger()
  keys.add('a\u009b\u001b[2Jx', 'unknown_write_key')
  expect(lines.map(({ keyPrefix }) => keyPrefix)).toEqual(['a??[2J'])
})

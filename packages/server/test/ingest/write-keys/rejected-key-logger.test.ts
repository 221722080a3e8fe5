import { pino } from 'pino'
import { expect, test } from 'vitest'
import { RejectedKeyLogger } from '../../../src/ingest/write-keys/rejected-key-logger.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const lineWith = (code: string, keyPrefix: string, requests: number) => ({
  level: 40,
  code,
  keyPrefix,
  requests,
  msg: 'write_key.refused',
})

test('refused keys are logged with their prefix and a count, at most once a minute', () => {
  const lines: unknown[] = []
  const logger = pino(
    { base: null, timestamp: false },
    { write: (line) => lines.push(JSON.parse(line)) },
  )
  const clock = new ManualClock()
  const keys = new RejectedKeyLogger(clock, logger)
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
  keys.add('wk_secret_1', 'unknown_write_key')
  expect(lines.at(-1)).toEqual(lineWith('unknown_write_key', 'wk_sec', 3))
})

import pino from 'pino'
import { expect, test } from 'vitest'
import { BoundedLogger } from '../../src/telemetry/logger.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

function open(level = 'debug') {
  const clock = new ManualClock()
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>)
  const inner = pino({ level, base: null, timestamp: false }, { write })
  return { clock, lines, logger: new BoundedLogger(inner, { clock, linesPerMinute: 3 }) }
}

test('an event has a limited number of log lines per minute; then a line reports how many were dropped', () => {
  const { clock, lines, logger } = open()
  for (let count = 0; count < 10_000; count++) logger.error({ count }, 'delivery.failed')
  logger.warn({}, 'ack.failed')
  expect(lines.map(({ msg, count }) => [msg, count])).toEqual([
    ['delivery.failed', 0],
    ['delivery.failed', 1],
    ['delivery.failed', 2],
    ['ack.failed', undefined],
  ])
  clock.advance(59_999)
  expect(lines).toHaveLength(4)
  clock.advance(1)
  expect(lines.slice(4)).toEqual([
    { level: 40, event: 'delivery.failed', lines: 9_997, msg: 'log.lines_dropped' },
  ])
  clock.advance(600_000)
  expect(lines).toHaveLength(5)
})

test('in the next minute, the event is logged again', () => {
  const { clock, lines, logger } = open()
  for (let minute = 0; minute < 5; minute++) {
    for (let count = 0; count < 4; count++) logger.info({}, 'deletion.purged')
    clock.advance(60_000)
  }
  expect(lines.filter(({ msg }) => msg === 'deletion.purged')).toHaveLength(15)
  expect(lines.filter(({ msg }) => msg === 'log.lines_dropped')).toHaveLength(5)
})

test('the dropped lines of a continuous event are reported once a minute, however long it lasts', () => {
  const { clock, lines, logger } = open()
  for (let second = 0; second < 600; second++) {
    for (let count = 0; count < 5; count++) logger.warn({}, 'backend.unavailable')
    clock.advance(1_000)
  }
  const leftOut = lines.filter(({ msg }) => msg === 'log.lines_dropped')
  expect(leftOut).toHaveLength(10)
  expect(lines).toHaveLength(10 * 3 + 10)
  expect(leftOut.reduce((sum, line) => sum + Number(line['lines']), 0)).toBe(3_000 - 30)
})

test('debug lines are not limited', () => {
  const { lines, logger } = open()
  for (let count = 0; count < 50; count++) logger.debug({}, 'attempt.failed')
  expect(lines).toHaveLength(50)
})

test('lines below the log level are not reported as dropped', () => {
  const { clock, lines, logger } = open('warn')
  for (let count = 0; count < 50; count++) logger.info({}, 'deletion.purged')
  clock.advance(60_000)
  expect(lines).toEqual([])
})

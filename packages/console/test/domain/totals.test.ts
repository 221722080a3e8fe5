import { expect, test } from 'vitest'
import type { StatisticsPoint } from '../../src/domain/statistics.ts'
import {
  meanPendingOf,
  describeP95,
  p95Of,
  receivedPerSecond,
  sumOf,
  totalsOf,
} from '../../src/domain/totals.ts'

const EMPTY = {
  received: 0,
  rejected: {},
  delivered: 0,
  retried: 0,
  failed: {},
  declined: {},
  unlinked: {},
  pending: null,
  latencyMs: null,
}

function point(change: object): StatisticsPoint {
  return { ...EMPTY, ...change } as unknown as StatisticsPoint
}

test('totals are summed over all points and reasons', () => {
  const points = [
    point({ received: 3, rejected: { bad_json: 1 }, delivered: 2, failed: { expired: 1 } }),
    point({
      received: 4,
      retried: 5,
      failed: { expired: 1, rejected: 2 },
      declined: { audience: 6 },
    }),
  ]
  expect(totalsOf(points)).toEqual({
    received: 7,
    rejected: 1,
    delivered: 2,
    retried: 5,
    failed: 4,
    declined: 6,
  })
  expect(totalsOf([]).received).toBe(0)
  expect(sumOf({})).toBe(0)
})

test('the p95 of several points is weighted by their deliveries, and marked as an estimate', () => {
  const latency = (p95: number): object => ({ latencyMs: { p50: 1, p95, p99: p95 } })
  const points = [
    point({ delivered: 9, ...latency(100) }),
    point({ delivered: 1, ...latency(1_100) }),
    point({ delivered: 5 }),
  ]
  expect(p95Of(points)).toBe(200)
  expect(p95Of([point({ delivered: 5 })])).toBeNull()
  expect(describeP95(200)).toBe('about 200 ms')
  expect(describeP95(0.2)).toBe('about 1 ms')
  expect(describeP95(null)).toBe('–')
})

test('the backlog is averaged over the points that measured it', () => {
  expect(meanPendingOf([point({ pending: 2 }), point({}), point({ pending: 5 })])).toBe(3.5)
  expect(meanPendingOf([point({ pending: 0 })])).toBe(0)
  expect(meanPendingOf([point({})])).toBeNull()
})

test("the current rate is the mean of the current minute and the one before, even if the browser's clock is wrong", () => {
  const at = (minute: number): string => new Date(minute * 60_000).toISOString()
  const points = [
    point({ at: at(0), received: 9_000 }),
    point({ at: at(1), received: 480 }),
    point({ at: at(2), received: 240 }),
  ]
  expect(receivedPerSecond(points, 150_000)).toBe(8)
  expect(receivedPerSecond(points, 0)).toBe(12)
  expect(receivedPerSecond(points, 900_000)).toBe(6)
  expect(receivedPerSecond(points.slice(0, 1), 0)).toBeNull()
})

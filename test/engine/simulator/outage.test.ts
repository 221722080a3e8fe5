import { expect, test } from 'vitest'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { caseCount } from '@hookline/testing/run/case-count'
import { SEED } from '@hookline/testing/run/seed'
import { LongOutage } from './long-outage.ts'

const HOUR = 60 * 60 * 1000
const EVENTS_PER_SECOND = caseCount('HOOKLINE_TEST_OUTAGE_EVENTS', 100)

test('a receiver that is down for four hours gets few probes, and then its backlog without overload', async () => {
  const started = performance.now()
  const { whileDown, drain } = await new LongOutage({
    random: seededRandom(SEED),
    eventsPerSecond: EVENTS_PER_SECOND,
    downMs: 4 * HOUR,
    latencyMs: 20,
    capacity: 32,
  }).run()
  const failed = drain.failed / drain.requests
  console.log(
    `seed ${SEED}: ${whileDown.events} events in 4 h, ${whileDown.untilOpen} requests in the first minute, ` +
      `${whileDown.probes} after; the backlog of ${drain.backlog} took ${seconds(drain.tookMs)} s (simulated), ` +
      `${percent(failed)} of ${drain.requests} requests failed, in the worst minute ${percent(drain.worstMinuteFailed)}; ` +
      `new events meanwhile: p99 ${drain.freshP99Ms} ms, in the worst minute ${drain.worstMinuteP99Ms} ms; ` +
      `${drain.expired} expired; ${seconds(performance.now() - started)} s of real time`,
  )
  // A breaker considers the last minute. Until 70% of its attempts have failed, each event is attempted.
  expect(whileDown.untilOpen).toBeLessThan(2 * 60 * EVENTS_PER_SECOND)
  expect(whileDown.probes).toBeLessThan(500)
  expect(failed).toBeLessThan(0.01)
  expect(drain.worstMinuteFailed).toBeLessThan(0.01)
  expect(drain.freshP99Ms).toBeLessThan(5000)
  expect(drain.worstMinuteP99Ms).toBeLessThan(5000)
  expect(drain.left).toBe(0)
})

function seconds(ms: number): string {
  return (ms / 1000).toFixed(0)
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`
}

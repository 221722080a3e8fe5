import { setTimeout as sleep } from 'node:timers/promises'
import type { AcceptedEvent } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { type Limit, LimitedReceivers } from './limited-receivers.ts'

const PER_SECOND = { '2/s': 2, '10/s': 10, '50/s': 50, '60/min': 1 }
const WITHIN_S = 60
const MEASURED_S = 60
const MIN_SHARE = 0.8
/** A leaky bucket of 50/s refuses a request that is a millisecond early, and timers on a busy machine are less precise. */
const MIN_SHARE_OF_FAST_LEAKY = 0.25
const MAX_REQUESTS = 4

const LIMITS: readonly Limit[] = Object.values(PER_SECOND).flatMap((perSecond) =>
  (['token', 'leaky'] as const).flatMap((bucket) =>
    ([429, 503] as const).flatMap((status) =>
      [false, true].map((hasRetryAfter) => ({ bucket, perSecond, status, hasRetryAfter })),
    ),
  ),
)

/** The events in one second: 150% of the rate limit. */
function demand(perSecond: number): AcceptedEvent[] {
  const count = Math.ceil(perSecond * 1.5)
  return Array.from({ length: count }, () =>
    acceptedEvent({ sourceId: `src_${perSecond}`, at: Date.now() }),
  )
}

const sum = (counts: readonly number[]): number =>
  Array.from(counts, (count) => count ?? 0).reduce((total, count) => total + count, 0)

test('at least 80% of a receiver’s rate limit is used after a minute, with at most four requests per delivery', async () => {
  await using engine = await TestEngine.open({
    retryDelaysMs: [],
    retryWindowMs: 4 * 60 * 60_000,
  })
  await using receivers = await LimitedReceivers.open(LIMITS)
  for (const [index, { perSecond }] of LIMITS.entries())
    await engine.destination(`dst_${index}`, receivers.urls[index]!, {
      sourceId: `src_${perSecond}`,
    })
  for (let second = 0; second < WITHIN_S + MEASURED_S; second++) {
    await engine.backend.log.append(Object.values(PER_SECOND).flatMap(demand))
    await sleep(1_000)
  }
  const got = await receivers.got()
  const rows = LIMITS.map(({ perSecond, bucket, status, hasRetryAfter }, index) => {
    const { accepted, requests } = got[index]!
    const share = (from: number, to: number): number =>
      sum(accepted.slice(from, to)) / (perSecond * (to - from))
    return {
      limit: `${perSecond}/s ${bucket} ${status}${hasRetryAfter ? ' Retry-After' : ''}`,
      'first minute': `${Math.round(100 * share(0, WITHIN_S))} %`,
      'second minute': `${Math.round(100 * share(WITHIN_S, WITHIN_S + MEASURED_S))} %`,
      requests: (sum(requests) / sum(accepted)).toFixed(2),
      share: share(WITHIN_S, WITHIN_S + MEASURED_S),
    }
  })
  console.table(rows.map(({ share: _share, ...shown }) => shown))
  for (const { limit, share, requests } of rows) {
    expect
      .soft(share, limit)
      .toBeGreaterThanOrEqual(limit.startsWith('50/s leaky') ? MIN_SHARE_OF_FAST_LEAKY : MIN_SHARE)
    expect.soft(Number(requests), limit).toBeLessThanOrEqual(MAX_REQUESTS)
  }
})

import { describe, expect, test } from 'vitest'
import { newDestination } from '@hookline/testing/records/catalog-records'
import { WebhookHealth, webhookStates } from '../../../src/delivery/health/webhook-health.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { systemClock } from '../../../src/util/time/clock.ts'

const url = 'https://a.example/'
const TIMEOUT = { url, outcome: 'retry', class: 'timeout', durationMs: 0 } as const
const UNAVAILABLE = {
  url,
  outcome: 'retry',
  class: 'http_5xx',
  status: 503,
  durationMs: 5,
} as const
const OK = { url, outcome: 'delivered', class: 'delivered', status: 200, durationMs: 0 } as const

/** Ends an attempt that began in this generation. */
function end(
  health: WebhookHealth,
  attempt: typeof TIMEOUT | typeof UNAVAILABLE | typeof OK,
  generation: number,
): ReturnType<WebhookHealth['onResult']> {
  return health.onResult('dst_a', attempt, { generation, now: systemClock.now() })
}

/** A webhook whose breaker was opened by ten timeouts, with ten earlier attempts still in flight. */
function broken(): { health: WebhookHealth; inFlight: readonly number[] } {
  const health = new WebhookHealth(systemClock)
  const begun = Array.from({ length: 20 }, () => health.onAttempt('dst_a', url))
  for (const each of begun.slice(10)) end(health, TIMEOUT, each)
  expect(health.brokenSince('dst_a', url)).toBeDefined()
  return { health, inFlight: begun.slice(0, 10) }
}

describe('the health of a webhook:', () => {
  test('a manually closed breaker ignores the results of earlier attempts', () => {
    const { health, inFlight } = broken()
    health.close('dst_a', url)
    for (const each of inFlight) expect(end(health, TIMEOUT, each)).toBeUndefined()
    expect(health.brokenSince('dst_a', url)).toBeUndefined()
    const later = Array.from({ length: 10 }, () => health.onAttempt('dst_a', url))
    const changes = later.map((each) => end(health, TIMEOUT, each))
    expect(changes.at(-1)).toBe('opened')
  })

  test.each([
    ['is forgotten after attempts to 10,000 other webhooks', []],
    ['is kept if its webhook had an attempt between those to 10,000 others', [5_000]],
  ])('an open breaker %s', (_, attempts) => {
    const { health } = broken()
    for (let other = 0; other < 10_000; other++) {
      if (attempts.includes(other)) health.onAttempt('dst_a', url)
      health.onResult('dst_b', { ...OK, url: `${url}${other}` }, { generation: 0, now: 0 })
    }
    expect(health.brokenSince('dst_a', url) !== undefined).toBe(attempts.length > 0)
  })

  test('a probe ends only with its own result, not with the result of an earlier attempt', () => {
    const { health, inFlight } = broken()
    health.retryNow('dst_a', url)
    const probe = health.onAttempt('dst_a', url)
    for (const each of inFlight) end(health, TIMEOUT, each)
    expect(end(health, OK, probe)).toBe('closed')
    expect(health.blockedUntil('dst_a', url)).toBe(0)
  })

  test('a probe ended by a bug has no result, and the next attempt is a probe', () => {
    const { health } = broken()
    health.retryNow('dst_a', url)
    const probe = health.onAttempt('dst_a', url)
    expect(health.blockedUntil('dst_a', url)).toBeGreaterThan(systemClock.now())
    const failed = { url, outcome: 'retry', class: 'internal_error', durationMs: 0 } as const
    health.onResult('dst_a', failed, { generation: probe, now: systemClock.now() })
    expect(health.blockedUntil('dst_a', url)).toBeLessThanOrEqual(systemClock.now())
    expect(health.brokenSince('dst_a', url)).toBeDefined()
  })

  test('a breaker is shown as half-open while its probe is in progress', () => {
    const { health } = broken()
    const destination = newDestination({ settings: { webhooks: [{ url, headers: {} }] } })
    const shown = () => webhookStates(destination, health, systemClock.now())[0]
    expect(shown()).toMatchObject({ breaker: 'open', openUntil: expect.any(Number) })
    health.retryNow('dst_a', url)
    expect(shown()).toMatchObject({ breaker: 'half_open', openUntil: null })
    const probe = health.onAttempt('dst_a', url)
    expect(shown()).toMatchObject({ breaker: 'half_open', openUntil: null })
    end(health, OK, probe)
    expect(shown()).toMatchObject({ breaker: 'closed', brokenSince: null, openUntil: null })
  })

  test('a receiver that answers every request with 503 opens its breaker after ten attempts, without a pace', () => {
    const health = new WebhookHealth(systemClock)
    const begun = Array.from({ length: 10 }, () => health.onAttempt('dst_a', url))
    const changes = begun.map((each) => end(health, UNAVAILABLE, each))
    expect(changes.at(-1)).toBe('opened')
    expect(health.pacePerSecond('dst_a', url)).toBeUndefined()
  })

  test('an outage ends a pace: the breaker opens within a minute and a half', () => {
    const clock = new ManualClock()
    const health = new WebhookHealth(clock)
    const attempt = (result: typeof UNAVAILABLE | typeof OK): ReturnType<typeof end> =>
      health.onResult('dst_a', result, {
        generation: health.onAttempt('dst_a', url),
        now: clock.now(),
      })
    for (let count = 0; count < 100; count++) attempt(OK)
    attempt(UNAVAILABLE)
    expect(health.pacePerSecond('dst_a', url)).toBe(100)
    const brokenAt = clock.now()
    let change: ReturnType<typeof end>
    while (change === undefined && clock.now() - brokenAt < 90_000) {
      clock.advance(1)
      if (clock.now() >= health.nextAttemptAt('dst_a', url)) change = attempt(UNAVAILABLE)
    }
    expect(change).toBe('opened')
    expect(health.pacePerSecond('dst_a', url)).toBeUndefined()
  })
})

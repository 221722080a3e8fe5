import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Breaker,
  CLOSED,
  onAttempt,
  onSample,
  earliestAttemptAt,
  type Sample,
  sampleOf,
} from '../../../src/delivery/health/breaker.ts'
import { paceSampleOf } from '../../../src/delivery/health/pace.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { seededRandom } from '@hookline/testing/run/seeded-random'

/** The breaker after these samples, one every `everyMs`. */
function after(samples: readonly Sample[], everyMs = 100): Breaker {
  return samples.reduce<Breaker>(
    (breaker, sample, index) =>
      onSample(breaker, sample, { now: NOON + index * everyMs, random: 1 }),
    CLOSED,
  )
}

const times = (count: number, sample: Sample): Sample[] =>
  Array.from({ length: count }, () => sample)

describe('a closed breaker', () => {
  test('opens at 70% failures among ten samples, and not before', () => {
    expect(after([...times(3, 'responded'), ...times(6, 'failed')]).state).toBe('closed')
    expect(after([...times(3, 'responded'), ...times(7, 'failed')]).state).toBe('open')
    expect(after([...times(4, 'responded'), ...times(6, 'failed')]).state).toBe('closed')
  })

  test('ignores samples that are older than a minute', () => {
    const breaker = after([...times(9, 'failed')])
    const later = onSample(breaker, 'failed', { now: NOON + 75_000, random: 1 })
    expect(later.state).toBe('closed')
  })

  test('opens after ten consecutive connection failures, regardless of earlier responses', () => {
    const responses = times(90, 'responded')
    expect(after([...responses, ...times(9, 'unconnected')]).state).toBe('closed')
    expect(after([...responses, ...times(10, 'unconnected')]).state).toBe('open')
    const interrupted = [
      ...times(9, 'unconnected'),
      'responded',
      ...times(9, 'unconnected'),
    ] as const
    expect(after([...responses, ...interrupted]).state).toBe('closed')
  })

  test('counts a 4xx as a response, not as a failure', () => {
    const rejected = sampleOf({ class: 'http_4xx', durationMs: 0 })!
    expect(after(times(1000, rejected)).state).toBe('closed')
  })

  test('counts a 5xx as a failure, even if the receiver ends the delivery with webhook-delivery', () => {
    const aborted = {
      outcome: 'rejected',
      class: 'http_5xx',
      status: 500,
      durationMs: 3_000,
    } as const
    expect(sampleOf(aborted)).toBe('failed')
    expect(paceSampleOf(aborted)).toBeUndefined()
  })

  test('counts an attempt without an access token as one without a connection', () => {
    const unauthenticated = { class: 'auth_failed', durationMs: 0 } as const
    expect(sampleOf(unauthenticated)).toBe('unconnected')
    expect(sampleOf({ ...unauthenticated, retryAfterMs: 5_000 })).toBe('unconnected')
  })

  test('counts a Retry-After as a response, and ignores a forbidden URL', () => {
    const throttled = { class: 'http_throttled', status: 429, durationMs: 5 } as const
    expect(sampleOf({ ...throttled, retryAfterMs: 1000 })).toBe('responded')
    expect(sampleOf(throttled)).toBe('throttled')
    const forbidden = { class: 'address_forbidden', durationMs: 0 } as const
    expect(sampleOf(forbidden)).toBeUndefined()
  })

  test('stays closed while some attempts succeed, however many are throttled', () => {
    const mostlyThrottled = ['responded', ...times(19, 'throttled')] as const
    const samples = Array.from({ length: 100 }, () => mostlyThrottled).flat()
    expect(after(samples, 50).state).toBe('closed')
    expect(after([...samples, ...times(20, 'failed')], 50).state).toBe('closed')
    expect(after([...samples, ...times(240, 'failed')], 50).state).toBe('open')
  })

  test('opens when ten attempts are throttled and none succeeds', () => {
    expect(after(times(9, 'throttled')).state).toBe('closed')
    expect(after(times(10, 'throttled')).state).toBe('open')
  })
})

describe('an open breaker', () => {
  const opened = after(times(10, 'failed'))
  const probe = (breaker: Breaker, sample: Sample, random = 1): Breaker => {
    const now = earliestAttemptAt(breaker)
    return onSample(onAttempt(breaker, now), sample, { now: now + 1, random })
  }

  test('stays open for at most 30 s at first, then twice as long after each failed probe, up to 5 min', () => {
    const waits: number[] = []
    let breaker: Breaker = opened
    let from = NOON + 900
    for (let probes = 0; probes < 6; probes++) {
      waits.push((earliestAttemptAt(breaker) - from) / 1000)
      from = earliestAttemptAt(breaker) + 1
      breaker = probe(breaker, 'failed')
    }
    expect(waits).toEqual([30, 60, 120, 240, 300, 300])
  })

  test('closes with a later response to an earlier attempt if throttled attempts opened it', () => {
    const late = { now: NOON + 2_000, random: 1 }
    expect(onSample(after(times(10, 'throttled')), 'failed', late).state).toBe('open')
    expect(onSample(after(times(10, 'throttled')), 'responded', late)).toEqual(CLOSED)
  })

  test('has full jitter, but stays open for at least a second', () => {
    const wait = (random: number): number =>
      earliestAttemptAt(probe(opened, 'failed', random)) - earliestAttemptAt(opened) - 1
    expect([wait(0), wait(0.5), wait(0.999)]).toEqual([1000, 30_000, 59_940])
  })

  test('lets one attempt through when it has been open long enough; the others wait for its result', () => {
    const now = earliestAttemptAt(opened)
    const probing = onAttempt(opened, now)
    expect(probing.state).toBe('half-open')
    expect(earliestAttemptAt(probing)).toBeGreaterThan(now)
  })

  test('closes after the first responded sample, and until then keeps the time when it opened', () => {
    expect(probe(opened, 'responded')).toEqual(CLOSED)
    expect(probe(probe(opened, 'failed'), 'failed')).toMatchObject({ since: NOON + 900 })
  })

  test('that failures opened ignores the results of earlier attempts', () => {
    expect(onSample(opened, 'responded', { now: NOON + 1000, random: 1 })).toBe(opened)
  })
})

test('a webhook that is down for four hours gets hundreds of probes, not millions of requests', () => {
  const run = fc.property(fc.integer(), (seed) => {
    const random = seededRandom(seed)
    let breaker = after(times(10, 'failed'))
    let probes = 0
    const end = NOON + 4 * 60 * 60 * 1000
    for (let now = earliestAttemptAt(breaker); now < end; now = earliestAttemptAt(breaker)) {
      const ended = { now: now + 5000, random: random() }
      breaker = onSample(onAttempt(breaker, now), 'failed', ended)
      probes++
    }
    expect(probes).toBeLessThan(300)
  })
  fc.assert(run)
})

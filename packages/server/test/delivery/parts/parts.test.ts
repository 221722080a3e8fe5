import type { Delivery, SuccessPolicy, WebhooksSettings } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import {
  afterAttempt,
  type AttemptRules,
  type PartAttempt,
  partOf,
  expire,
  hold,
  remove,
  resumeAt,
  withPart,
  withParts,
} from '../../../src/delivery/parts/parts.ts'
import { NOON } from '@hookline/testing/records/accepted-event'

const HOUR = 60 * 60 * 1000
const [a, b, c] = ['https://a.example/', 'https://b.example/', 'https://c.example/']

function settings(successPolicy: SuccessPolicy, urls = [a, b, c]): WebhooksSettings {
  const webhooks = urls.map((url) => ({ url, headers: {} }))
  return { sharedSecret: null, webhooks, successPolicy }
}

const empty: Delivery = {
  id: 'msg_1',
  eventId: 'evt_1',
  destinationId: 'dst_1',
  state: 'pending',
  attemptCount: 0,
  firstDueAt: NOON,
  dueAt: NOON,
  webhooks: [],
}

const pending = (policy: SuccessPolicy, urls = [a, b, c]): Delivery =>
  withParts(empty, settings(policy, urls), NOON)

const rules = (successPolicy: SuccessPolicy, now = NOON): AttemptRules => ({
  successPolicy,
  schedule: { windowMs: 4 * HOUR },
  now,
  random: 0.5,
})

function attempt(
  url: string,
  outcome: PartAttempt['outcome'],
  change: Partial<PartAttempt> = {},
): PartAttempt {
  const kinds = {
    delivered: 'delivered',
    retry: 'http_5xx',
    rejected: 'http_4xx',
    declined: 'transform_declined',
  } as const
  const times = { startedAt: NOON, durationMs: 5 }
  const common = { id: `att_${url}`, number: 1, url, outcome, class: kinds[outcome] }
  return { ...common, ...times, body: 'text', ...change }
}

/** The delivery after these attempts, in order. */
function after(policy: SuccessPolicy, ...attempts: readonly PartAttempt[]): Delivery {
  return attempts.reduce(
    (delivery, each) => afterAttempt(delivery, each, rules(policy)),
    pending(policy),
  )
}

const statesOf = ({ webhooks }: Delivery): string[] => webhooks.map(({ state }) => state)

describe('with policy `any`', () => {
  test('a delivery is delivered with the first success, and each other webhook still gets its one attempt', () => {
    const first = after('any', attempt(b, 'delivered'))
    expect(first).toMatchObject({ state: 'delivered', attemptCount: 1, dueAt: NOON })
    expect(statesOf(first)).toEqual(['pending', 'delivered', 'pending'])
    const all = after('any', attempt(b, 'delivered'), attempt(a, 'retry'), attempt(c, 'rejected'))
    expect(all).toMatchObject({ state: 'delivered', dueAt: null })
    expect(statesOf(all)).toEqual(['not_retried', 'delivered', 'rejected'])
  })

  test('a webhook that failed is not retried once another one has accepted the delivery', () => {
    const late = after('any', attempt(a, 'retry'), attempt(b, 'delivered'))
    expect(statesOf(late)).toEqual(['not_retried', 'delivered', 'pending'])
  })

  test('until one webhook accepts the delivery, each failed webhook is retried separately', () => {
    const failed = after(
      'any',
      attempt(a, 'retry'),
      attempt(b, 'retry', { number: 3 }),
      attempt(c, 'rejected'),
    )
    expect(failed).toMatchObject({ state: 'pending', attemptCount: 3, dueAt: NOON + 5_000 })
    expect(failed.webhooks.map(({ dueAt }) => dueAt)).toEqual([NOON + 5_000, NOON + 45_000, null])
  })

  test('a delivery is rejected when every webhook has rejected it', () => {
    const all = after('any', ...[a, b, c].map((url) => attempt(url, 'rejected')))
    expect(all).toMatchObject({ state: 'rejected', dueAt: null })
  })

  test('a delivered delivery remains delivered, even if the policy changes', () => {
    const delivered = after('any', attempt(a, 'delivered'))
    const strict = afterAttempt(delivered, attempt(b, 'rejected'), rules('each'))
    expect(strict.state).toBe('delivered')
  })
})

describe('with policy `each`', () => {
  test('a delivery is delivered only when every webhook has accepted it', () => {
    const two = after('each', attempt(a, 'delivered'), attempt(c, 'delivered'))
    expect(two).toMatchObject({ state: 'pending', dueAt: NOON })
    expect(afterAttempt(two, attempt(b, 'delivered'), rules('each')).state).toBe('delivered')
  })

  test('a delivery is rejected when one webhook rejected it and the others accepted it', () => {
    const all = after(
      'each',
      attempt(a, 'delivered'),
      attempt(b, 'rejected'),
      attempt(c, 'delivered'),
    )
    expect(all.state).toBe('rejected')
  })
})

describe('when the retry window has ended', () => {
  const late = (kind: Partial<PartAttempt>): Delivery => {
    const delivery = pending('any', [a])
    return afterAttempt(delivery, attempt(a, 'retry', kind), rules('any', NOON + 4 * HOUR))
  }

  test('a failed part expires', () => {
    expect(late({})).toMatchObject({ state: 'expired', dueAt: null })
  })

  test.each(['certificate_invalid', 'address_forbidden', 'port_forbidden'] as const)(
    'a part with the failure %s is rejected, because retries alone cannot fix it',
    (kind) => {
      expect(late({ class: kind })).toMatchObject({ state: 'rejected', dueAt: null })
    },
  )

  test('a part without an attempt expires, and the delivery expires with its last part', () => {
    const first = withPart(pending('any', [a, b]), a, 'any', expire)
    expect(first.state).toBe('pending')
    const both = withPart(first, b, 'any', expire)
    expect([both.state, ...statesOf(both)]).toEqual(['expired', 'expired', 'expired'])
  })
})

describe('a held part', () => {
  test('waits while its webhook is paused, and gets a new window when it is resumed', () => {
    const held = withPart(pending('any', [a]), a, 'any', hold)
    expect(held).toMatchObject({ state: 'held', dueAt: null })
    const now = NOON + 5 * HOUR
    const resumed = withPart(held, a, 'any', resumeAt(now))
    expect(resumed).toMatchObject({ state: 'pending', dueAt: now })
    expect(partOf(resumed, a)?.firstDueAt).toBe(now)
  })

  test('waits while its URL is forbidden, within its window', () => {
    const forbidden = attempt(a, 'retry', { class: 'address_forbidden' })
    expect(afterAttempt(pending('any', [a]), forbidden, rules('any')).state).toBe('held')
  })

  test('leaves the delivery pending while another part is pending', () => {
    expect(withPart(pending('any', [a, b]), a, 'any', hold).state).toBe('pending')
  })

  test('is not retried after the pause if it failed before and another webhook has the event', () => {
    const tried = afterAttempt(pending('any', [a, b]), attempt(a, 'retry'), rules('any'))
    const held = withPart(tried, a, 'any', hold)
    const delivered = afterAttempt(held, attempt(b, 'delivered'), rules('any'))
    expect(statesOf(delivered)).toEqual(['not_retried', 'delivered'])
  })
})

describe('after a change to the webhooks', () => {
  test('the part of a removed webhook has ended, and a new webhook has a new part', () => {
    const split = withParts(pending('any', [a]), settings('any', [b]), NOON + 1)
    const moved = withPart(split, a, 'any', remove)
    expect(moved).toMatchObject({ state: 'pending', dueAt: NOON + 1 })
    expect(statesOf(moved)).toEqual(['removed', 'pending'])
  })

  test('a delivery is rejected if its last part was removed, or delivered if all other webhooks accepted it', () => {
    expect(withPart(pending('each', [a]), a, 'each', remove).state).toBe('rejected')
    const delivered = after('each', attempt(a, 'delivered'), attempt(b, 'delivered'))
    expect(withPart(delivered, c, 'each', remove).state).toBe('delivered')
  })
})

test('a part contains neither headers nor body of a response', () => {
  const failed = after('any', attempt(a, 'retry', { headers: { server: 'x' } }))
  expect(partOf(failed, a)?.lastAttempt).not.toHaveProperty('body')
  expect(partOf(failed, a)?.lastAttempt).not.toHaveProperty('headers')
})

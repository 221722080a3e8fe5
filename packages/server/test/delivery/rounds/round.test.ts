import type { Delivery, SuccessPolicy } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import {
  afterRound,
  dueUrls,
  type RoundAttempt,
  type RoundRules,
} from '../../../src/delivery/rounds/round.ts'
import { NOON } from '../../harness/accepted-event.ts'

const [a, b, c] = ['https://a.example/', 'https://b.example/', 'https://c.example/']
const pending: Delivery = {
  id: 'msg_1',
  eventId: 'evt_1',
  destinationId: 'dst_1',
  state: 'pending',
  rounds: 0,
  firstDueAt: NOON,
  dueAt: NOON,
  webhooks: [],
}

function rules(successPolicy: SuccessPolicy, change: Partial<RoundRules> = {}): RoundRules {
  const schedule = { windowMs: 4 * 60 * 60 * 1000 }
  return {
    urls: [a, b, c],
    pausedUrls: new Set(),
    successPolicy,
    schedule,
    blockedUntil: () => 0,
    now: NOON,
    random: 0.5,
    ...change,
  }
}

function attempt(
  url: string,
  outcome: RoundAttempt['outcome'],
  change: Partial<RoundAttempt> = {},
): RoundAttempt {
  const what = { delivered: 'delivered', retry: 'http_5xx', rejected: 'http_4xx' } as const
  return {
    id: `att_${url}`,
    round: 1,
    number: 1,
    url,
    startedAt: NOON,
    durationMs: 5,
    outcome,
    class: what[outcome],
    body: 'text',
    ...change,
  }
}

const outcomesOf = (delivery: Delivery): Record<string, string> =>
  Object.fromEntries(delivery.webhooks.map(({ url, outcome }) => [url, outcome]))

describe('a round with policy any', () => {
  test('is delivered as soon as one webhook took it; the others are not retried', () => {
    const attempts = [attempt(a, 'retry'), attempt(b, 'delivered'), attempt(c, 'rejected')]
    const after = afterRound(pending, attempts, rules('any'))
    expect(after).toMatchObject({ state: 'delivered', rounds: 1, dueAt: null })
    expect(outcomesOf(after)).toEqual({ [a]: 'retry', [b]: 'delivered', [c]: 'rejected' })
    expect(after.webhooks.every(({ dueAt }) => dueAt === undefined)).toBe(true)
  })

  test('stays pending while one webhook may be retried, and then tries only that one', () => {
    const attempts = [attempt(a, 'retry'), attempt(b, 'rejected'), attempt(c, 'rejected')]
    const after = afterRound(pending, attempts, rules('any'))
    expect(after).toMatchObject({ state: 'pending', dueAt: NOON + 5000 })
    expect(dueUrls(after, rules('any'))).toEqual([])
    expect(dueUrls(after, rules('any', { now: NOON + 5000 }))).toEqual([a])
  })

  test('tries webhooks that failed together in the same next round', () => {
    const after = afterRound(
      pending,
      [attempt(a, 'retry'), attempt(b, 'retry')],
      rules('any', { urls: [a, b] }),
    )
    expect(dueUrls(after, rules('any', { urls: [a, b], now: after.dueAt! }))).toEqual([a, b])
  })

  test('is rejected when every webhook rejected it', () => {
    const attempts = [a, b, c].map((url) => attempt(url, 'rejected'))
    expect(afterRound(pending, attempts, rules('any')).state).toBe('rejected')
  })

  test('expires when no further attempt fits into the window', () => {
    const late = { ...pending, firstDueAt: NOON - 4 * 60 * 60 * 1000 }
    const after = afterRound(late, [attempt(a, 'retry')], rules('any', { urls: [a] }))
    expect(after).toMatchObject({ state: 'expired', dueAt: null })
  })
})

describe('a round with policy each', () => {
  test('is delivered only when every webhook took it', () => {
    const first = afterRound(
      pending,
      [attempt(a, 'delivered'), attempt(b, 'retry'), attempt(c, 'delivered')],
      rules('each'),
    )
    expect(first.state).toBe('pending')
    expect(dueUrls(first, rules('each', { now: first.dueAt! }))).toEqual([b])
    const second = afterRound(
      first,
      [attempt(b, 'delivered', { number: 2, round: 2 })],
      rules('each', { now: first.dueAt! }),
    )
    expect(second).toMatchObject({ state: 'delivered', rounds: 2 })
  })

  test('schedules the retry of each webhook by its own number of attempts', () => {
    const attempts = [
      attempt(a, 'retry'),
      attempt(b, 'retry', { number: 3 }),
      attempt(c, 'delivered'),
    ]
    const after = afterRound(pending, attempts, rules('each'))
    expect(after.webhooks.map(({ dueAt }) => dueAt)).toEqual([
      NOON + 5000,
      NOON + 45_000,
      undefined,
    ])
    expect(after.dueAt).toBe(NOON + 5000)
  })

  test('is rejected when one webhook rejected it and the others took it', () => {
    const attempts = [attempt(a, 'delivered'), attempt(b, 'rejected'), attempt(c, 'delivered')]
    expect(afterRound(pending, attempts, rules('each')).state).toBe('rejected')
  })
})

describe('a blocked webhook', () => {
  const blockedUntil = (url: string): number => (url === a ? NOON + 60_000 : 0)

  test('is not tried, and the round does not count', () => {
    const blocked = rules('any', { urls: [a], blockedUntil })
    expect(dueUrls(pending, blocked)).toEqual([])
    expect(afterRound(pending, [], blocked)).toEqual({ ...pending, dueAt: NOON + 60_000 })
  })

  test('does not delay the others', () => {
    const blocked = rules('any', { urls: [a, b], blockedUntil })
    expect(dueUrls(pending, blocked)).toEqual([b])
    const after = afterRound(pending, [attempt(b, 'retry')], blocked)
    expect(after.dueAt).toBe(NOON + 5000)
    expect(after.state).toBe('pending')
  })
})

describe('webhooks that change between rounds', () => {
  test('include a new one, which is tried, and a removed one, which does not count', () => {
    const first = afterRound(pending, [attempt(a, 'retry')], rules('any', { urls: [a] }))
    expect(dueUrls(first, rules('any', { urls: [b], now: NOON + 1 }))).toEqual([b])
    const second = afterRound(first, [attempt(b, 'rejected')], rules('any', { urls: [b] }))
    expect(second.state).toBe('rejected')
  })
})

test('the progress of a webhook contains neither headers nor body of a response', () => {
  const after = afterRound(pending, [attempt(a, 'retry')], rules('any', { urls: [a] }))
  expect(after.webhooks[0]?.last).not.toHaveProperty('body')
})

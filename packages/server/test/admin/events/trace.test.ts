import {
  ATTEMPT_CLASSES,
  type DeclineReason,
  type Delivery,
  type DeliveryPart,
  type DeliveryState,
} from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { WAIT_REASONS, type WaitContext } from '../../../src/admin/deliveries/waiting.ts'
import { type TracedDelivery, traceDecisions } from '../../../src/admin/events/trace.ts'
import {
  attemptOf,
  lastOf,
  partOf,
} from '../../backend/conformance/deliveries/recorded-delivery.ts'
import { acceptedEvent, NOON } from '../../harness/accepted-event.ts'
import { newDestination } from '../../harness/catalog-records.ts'

const destination = (id: string, createdAt = 0) =>
  newDestination({ id, createdAt, settings: { webhooks: [] } })
const delivery = (destinationId: string, state: DeliveryState): Delivery => ({
  id: `msg_${state}`,
  eventId: 'evt_1',
  destinationId,
  state,
  rounds: 1,
  firstDueAt: 0,
  dueAt: null,
  webhooks: [],
})
const traced = (each: Delivery, change: Partial<WaitContext> = {}): TracedDelivery => ({
  delivery: each,
  context: {
    destination: newDestination(),
    states: [],
    inFlight: new Map(),
    now: NOON,
    jumpMs: 0,
    ...change,
  },
})
const archived = (...declined: [string, DeclineReason][]) => ({
  ...acceptedEvent({ at: NOON }),
  declined: declined.map(([destinationId, reason]) => ({ destinationId, reason })),
  duplicates: 0,
  lastDuplicateAt: null,
})

test('a delivery comes before a decline, and a decline before pending', () => {
  const event = archived(['dst_a', 'integrations'], ['dst_b', 'integrations'])
  const destinations = [destination('dst_a'), destination('dst_b'), destination('dst_c')]
  const decisions = traceDecisions(event, destinations, [traced(delivery('dst_a', 'delivered'))])
  expect(decisions.map((each) => [each.destinationId, each.decision, each.reason])).toEqual([
    ['dst_a', 'deliver', null],
    ['dst_b', 'declined', 'integrations'],
    ['dst_c', 'pending', null],
  ])
})

test('a destination has no decision for events received before it was created', () => {
  const destinations = [destination('dst_same', NOON), destination('dst_later', NOON + 1)]
  expect(
    traceDecisions(archived(), destinations, []).map(({ destinationId }) => destinationId),
  ).toEqual(['dst_same'])
})

test('the decision for a removed destination stays', () => {
  const decisions = traceDecisions(archived(['dst_gone', 'destination_disabled']), [], [])
  expect(decisions).toMatchObject([{ destinationId: 'dst_gone', decision: 'declined' }])
  expect(decisions[0]?.explanation).toContain('"enabled": true')
})

const explanationOf = (each: Delivery, context: Partial<WaitContext> = {}) =>
  traceDecisions(archived(), [], [traced(each, context)])[0]?.explanation

test('failures are explained with their remedy', () => {
  const last = lastOf(attemptOf({ outcome: 'rejected', class: 'http_4xx' }))
  const rejected = {
    ...delivery('dst_a', 'rejected'),
    webhooks: [partOf({ state: 'rejected', last })],
  }
  expect(explanationOf(rejected)).toBe(
    `It was rejected, and Hookline does not try again. http_4xx: ${ATTEMPT_CLASSES.http_4xx.help}`,
  )
  const removed = [partOf({ state: 'removed', last })]
  for (const webhooks of [[], removed])
    expect(explanationOf({ ...delivery('dst_a', 'rejected'), webhooks })).toBe(
      'Its destination was removed before it could be delivered.',
    )
})

test('the failure of a webhook is explained even where another one took the event', () => {
  const last = lastOf(attemptOf())
  const webhooks = [partOf({ state: 'delivered' }), partOf({ state: 'not_retried', last })]
  expect(explanationOf({ ...delivery('dst_a', 'delivered'), webhooks })).toBe(
    `It was delivered. http_5xx: ${ATTEMPT_CLASSES.http_5xx.help}`,
  )
  const delivered = { ...delivery('dst_a', 'delivered'), webhooks: webhooks.slice(0, 1) }
  expect(explanationOf(delivered)).toBe('It was delivered.')
})

test('every state has its own explanation', () => {
  const states = ['pending', 'delivered', 'rejected', 'expired', 'held'] as const
  const words = states.map((state) => explanationOf(delivery('dst_a', state)))
  expect(new Set(words).size).toBe(states.length)
})

describe('a delivery that waits is explained with the reason, its beginning and the next attempt', () => {
  const { url } = partOf()
  const since = NOON - 60_000
  const paused = (reason: 'gone' | 'forbidden') => ({
    destination: newDestination({
      settings: { webhooks: [{ url, headers: {}, paused: { since, reason } }] },
    }),
  })
  const state = (change: Partial<WaitContext['states'][number]>) => {
    const healthy = { breaker: 'closed', brokenSince: null, restsUntil: null } as const
    return { states: [{ url, ...healthy, retryAfterUntil: null, ...change }] }
  }
  const last = lastOf(attemptOf({ startedAt: since, durationMs: 0 }))
  const later = { dueAt: NOON + 5_000, last }

  test.each<[title: string, Partial<WaitContext>, Partial<DeliveryPart>, expected: string]>([
    [
      'of a destination that is paused',
      { destination: newDestination({ paused: { since, reason: 'operator' } }) },
      { state: 'held' },
      `since 2026-01-15T11:59:00.000Z): ${WAIT_REASONS.destination_paused}`,
    ],
    [
      'of a webhook that is gone',
      paused('gone'),
      { state: 'held' },
      `since 2026-01-15T11:59:00.000Z): ${WAIT_REASONS.webhook_gone}`,
    ],
    [
      'of a webhook whose URL is forbidden',
      paused('forbidden'),
      { state: 'held' },
      `since 2026-01-15T11:59:00.000Z): ${WAIT_REASONS.url_forbidden}`,
    ],
    [
      'of a destination that is disabled',
      { destination: newDestination({ enabled: false, updatedAt: since }) },
      {},
      `since 2026-01-15T11:59:00.000Z): ${WAIT_REASONS.destination_disabled}`,
    ],
    [
      'of a webhook whose breaker is open',
      state({ breaker: 'open', brokenSince: since, restsUntil: NOON + 7_000 }),
      {},
      `since 2026-01-15T11:59:00.000Z, next attempt 2026-01-15T12:00:07.000Z): ${WAIT_REASONS.breaker_open}`,
    ],
    [
      'of a receiver that asked for a pause',
      state({ retryAfterUntil: NOON + 9_000 }),
      { last },
      `since 2026-01-15T11:59:00.000Z, next attempt 2026-01-15T12:00:09.000Z): ${WAIT_REASONS.retry_after} http_5xx: ${ATTEMPT_CLASSES.http_5xx.help}`,
    ],
    [
      'of a later retry',
      {},
      later,
      `since 2026-01-15T11:59:00.000Z, next attempt 2026-01-15T12:00:05.000Z): ${WAIT_REASONS.retry} http_5xx: ${ATTEMPT_CLASSES.http_5xx.help}`,
    ],
    [
      'of the events before it',
      {},
      { dueAt: since },
      `since 2026-01-15T11:59:00.000Z, next attempt 2026-01-15T12:00:00.000Z): ${WAIT_REASONS.in_line}`,
    ],
  ])('%s', (_, context, change, expected) => {
    const part = partOf(change)
    const waits = { ...delivery('dst_a', part.state as DeliveryState), webhooks: [part] }
    const begin = part.state === 'held' ? 'It is held.' : 'It is not delivered yet.'
    expect(explanationOf(waits, context)).toBe(`${begin} example.com waits (${expected}`)
  })

  test('for each of its webhooks, with the host alone', () => {
    const webhooks = ['https://a.example/in?token=secret', 'https://b.example/'].map((each) => ({
      url: each,
      headers: {},
    }))
    const context = { destination: newDestination({ settings: { webhooks } }) }
    const parts = webhooks.map((each) => partOf({ url: each.url }))
    const text = explanationOf({ ...delivery('dst_a', 'pending'), webhooks: parts }, context)
    expect(text).toMatch(/ a\.example waits \(.* b\.example waits \(/)
    expect(text).not.toContain('secret')
  })
})

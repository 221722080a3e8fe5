import { withParsedFields } from '../../../src/backend/accepted-event.ts'
import {
  ATTEMPT_CLASSES,
  DECLINE_REASONS,
  type DeclineReason,
  type Delivery,
  type DeliveryPart,
  type DeliveryState,
  type Destination,
  type Pause,
} from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import {
  WAIT_REASONS,
  type WaitContext,
  type WaitReason,
} from '../../../src/admin/deliveries/waiting.ts'
import {
  TRACE_FINDINGS,
  type TracedDelivery,
  traceDecisions,
  traceFindings,
  UNDECIDED_REASONS,
} from '../../../src/admin/events/trace.ts'
import {
  attemptOf,
  lastOf,
  partOf,
} from '../../backend/conformance/deliveries/recorded-delivery.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newDestination } from '@hookline/testing/records/catalog-records'

const destination = (id: string, createdAt = 0) =>
  newDestination({ id, createdAt, settings: { webhooks: [] } })
const delivery = (destinationId: string, state: DeliveryState): Delivery => ({
  id: `msg_${state}`,
  eventId: 'evt_1',
  destinationId,
  state,
  attemptCount: 1,
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
  ...withParsedFields(acceptedEvent({ at: NOON })),
  declined: declined.map(([destinationId, reason]) => ({ destinationId, reason })),
  duplicates: 0,
  lastDuplicateAt: null,
})

test('deliveries are listed first, then declines, then pending decisions', () => {
  const event = archived(['dst_a', 'integrations'], ['dst_b', 'integrations'])
  const destinations = [destination('dst_a'), destination('dst_b'), destination('dst_c')]
  const decisions = traceDecisions(event, destinations, [traced(delivery('dst_a', 'delivered'))])
  expect(decisions.map((each) => [each.destinationId, each.decision, each.reason])).toEqual([
    ['dst_a', 'deliver', null],
    ['dst_b', 'declined', 'integrations'],
    ['dst_c', 'pending', null],
  ])
})

test('a destination created after the event is reported as such, with its creation time', () => {
  const destinations = [destination('dst_same', NOON), destination('dst_later', NOON + 1)]
  expect(traceDecisions(archived(), destinations, [])).toMatchObject([
    {
      destinationId: 'dst_same',
      decision: 'pending',
      explanation: expect.stringContaining('Not processed yet'),
      remedy: expect.stringContaining('/readyz'),
    },
    {
      destinationId: 'dst_later',
      decision: 'none',
      reason: 'destination_created_later',
      explanation:
        'The destination was created after the event arrived. It was created at 2026-01-15T12:00:00.001Z.',
      remedy: UNDECIDED_REASONS.destination_created_later.help,
    },
  ])
})

test.each(Object.entries(DECLINE_REASONS))(
  'the decline reason %s has a meaning and a remedy',
  (reason, { meaning, help }) => {
    const event = archived(['dst_a', reason as DeclineReason])
    const [decision] = traceDecisions(event, [destination('dst_a')], [])
    expect(decision).toMatchObject({ decision: 'declined', reason, remedy: help })
    expect(decision!.explanation).toContain(meaning)
  },
)

test('the decision for a removed destination remains, without a remedy that would change it', () => {
  const decisions = traceDecisions(archived(['dst_gone', 'destination_disabled']), [], [])
  const { meaning } = DECLINE_REASONS.destination_disabled
  const remedy = expect.stringContaining('new destination')
  expect(decisions).toMatchObject([
    {
      destinationId: 'dst_gone',
      decision: 'declined',
      explanation: `${meaning} The destination has since been deleted.`,
      remedy,
    },
  ])
  expect(traceDecisions(archived(), [], [traced(delivery('dst_gone', 'expired'))])).toMatchObject([
    {
      explanation:
        'Expired: the event could not be delivered within the retry window. The destination has since been deleted.',
      remedy,
    },
  ])
})

test('a quarantined delivery has the reason, and can be retried', () => {
  const reason = 'Its record is corrupted.'
  const stopped = { ...delivery('dst_a', 'quarantined'), quarantine: { reason, at: NOON } }
  expect(wordsOf(stopped)).toEqual({
    explanation: `Quarantined: ${reason}`,
    remedy: 'Retry the delivery.',
  })
})

describe('a trace reports', () => {
  const findingsOf = (
    event: ReturnType<typeof archived>,
    { name = 'web', destinations = [] as readonly Destination[] } = {},
  ) =>
    traceFindings(event, { source: { name: name || null }, destinations, deliveries: [] }).map(
      ({ code, message, remedy }) => {
        expect([message, remedy]).toEqual(Object.values(TRACE_FINDINGS[code]))
        return code
      },
    )

  test('that the source had no destination, even if one was created later', () => {
    expect(findingsOf(archived())).toEqual(['no_destination'])
    const destinations = [destination('dst_later', NOON + 1)]
    expect(findingsOf(archived(), { destinations })).toEqual(['no_destination'])
    expect(findingsOf(archived(), { destinations: [destination('dst_a')] })).toEqual([])
    expect(findingsOf(archived(['dst_gone', 'integrations']))).toEqual([])
  })

  test('that the source was removed', () => {
    expect(findingsOf(archived(), { name: '' })).toEqual(['source_removed'])
  })

  test('that later calls with its messageId were dropped', () => {
    const destinations = [destination('dst_a')]
    expect(findingsOf({ ...archived(), duplicates: 2 }, { destinations })).toEqual(['duplicates'])
  })
})

const wordsOf = (each: TracedDelivery['delivery'], context: Partial<WaitContext> = {}) => {
  const [found] = traceDecisions(archived(), [destination('dst_a')], [traced(each, context)])
  return { explanation: found!.explanation, remedy: found!.remedy }
}
const explanationOf = (...given: Parameters<typeof wordsOf>) => wordsOf(...given).explanation

test('failures are explained, with a remedy', () => {
  const error = 'The receiver responded with 404.'
  const lastAttempt = lastOf(attemptOf({ outcome: 'rejected', class: 'http_4xx', error }))
  const rejected = {
    ...delivery('dst_a', 'rejected'),
    webhooks: [partOf({ state: 'rejected', lastAttempt })],
  }
  expect(wordsOf(rejected)).toEqual({
    explanation: `Rejected. Hookline does not retry the delivery. The last attempt to example.com failed: ${error}`,
    remedy: `http_4xx: ${ATTEMPT_CLASSES.http_4xx.help} Retry the delivery.`,
  })
  const removed = [partOf({ state: 'removed', lastAttempt })]
  for (const webhooks of [[], removed])
    expect(explanationOf({ ...delivery('dst_a', 'rejected'), webhooks })).toBe(
      'The destination was deleted before delivery.',
    )
})

test('the failure of a webhook is explained even if another webhook accepted the event', () => {
  const lastAttempt = lastOf(attemptOf())
  const webhooks = [partOf({ state: 'delivered' }), partOf({ state: 'not_retried', lastAttempt })]
  expect(wordsOf({ ...delivery('dst_a', 'delivered'), webhooks })).toEqual({
    explanation: `Delivered. The last attempt to example.com failed: ${lastAttempt.class}`,
    remedy: `http_5xx: ${ATTEMPT_CLASSES.http_5xx.help}`,
  })
  const delivered = { ...delivery('dst_a', 'delivered'), webhooks: webhooks.slice(0, 1) }
  expect(explanationOf(delivered)).toBe('Delivered.')
})

test('every state has its own explanation', () => {
  const states = ['pending', 'delivered', 'rejected', 'expired', 'held'] as const
  const words = states.map((state) => explanationOf(delivery('dst_a', state)))
  expect(new Set(words).size).toBe(states.length)
})

describe('the explanation of a waiting delivery', () => {
  const { url } = partOf()
  const since = NOON - 60_000
  const paused = (reason: Pause['reason']) => ({
    destination: newDestination({
      settings: { webhooks: [{ url, headers: {}, paused: { since, reason } }] },
    }),
  })
  const state = (change: Partial<WaitContext['states'][number]>) => {
    const healthy = { breaker: 'closed', brokenSince: null, openUntil: null } as const
    return { states: [{ url, ...healthy, retryAfterUntil: null, pacePerSecond: null, ...change }] }
  }
  const lastAttempt = lastOf(attemptOf({ startedAt: since, durationMs: 0 }))
  const later = { dueAt: NOON + 5_000, lastAttempt }

  const failed = ` The last attempt to example.com failed: ${lastAttempt.class}`
  const help = `http_5xx: ${ATTEMPT_CLASSES.http_5xx.help}`
  const minute = 'since 2026-01-15T11:59:00.000Z.'

  test.each<[WaitReason, string, Partial<WaitContext>, Partial<DeliveryPart>]>([
    [
      'destination_paused',
      minute,
      { destination: newDestination({ paused: { since, reason: 'operator' } }) },
      { state: 'held' },
    ],
    ['webhook_gone', minute, paused('webhook_gone'), { state: 'held' }],
    ['url_forbidden', minute, paused('url_forbidden'), { state: 'held' }],
    ['disabled_by_receiver', minute, paused('disabled_by_receiver'), { state: 'held' }],
    ['webhook_paused', minute, paused('operator'), { state: 'held' }],
    [
      'destination_disabled',
      minute,
      { destination: newDestination({ enabled: false, updatedAt: since }) },
      {},
    ],
    [
      'breaker_open',
      `${minute} Next attempt: 2026-01-15T12:00:07.000Z.`,
      state({ breaker: 'open', brokenSince: since, openUntil: NOON + 7_000 }),
      {},
    ],
    [
      'retry_after',
      `${minute} Next attempt: 2026-01-15T12:00:09.000Z.`,
      state({ retryAfterUntil: NOON + 9_000 }),
      { lastAttempt },
    ],
    ['retry', `${minute} Next attempt: 2026-01-15T12:00:05.000Z.`, {}, later],
    ['queued', `${minute} Next attempt: 2026-01-15T12:00:00.000Z.`, {}, { dueAt: since }],
    [
      'in_flight',
      `${minute} Next attempt: 2026-01-15T12:00:00.000Z.`,
      { inFlight: new Map([[url, since]]) },
      {},
    ],
  ])(
    'has the reason, the start of the wait and any next attempt: %s',
    (reason, times, context, change) => {
      const part = partOf(change)
      const waits = { ...delivery('dst_a', part.state as DeliveryState), webhooks: [part] }
      const begin =
        part.state === 'held'
          ? 'Held, because the webhook or the destination is paused.'
          : 'Not delivered yet.'
      const { meaning, remedy } = WAIT_REASONS[reason]
      const hasFailed = part.lastAttempt !== undefined
      const remedies = [remedy, hasFailed ? help : null].filter((each) => each !== null)
      expect(wordsOf(waits, context)).toEqual({
        explanation: `${begin} The delivery to example.com has been waiting ${times}${reason === 'retry' && hasFailed ? '' : ` ${meaning}`}${hasFailed ? failed : ''}`,
        remedy: remedies.length === 0 ? null : remedies.join(' '),
      })
    },
  )

  test('covers each of its webhooks, and shows only their hosts', () => {
    const webhooks = ['https://a.example/in?token=secret', 'https://b.example/'].map((each) => ({
      url: each,
      headers: {},
    }))
    const context = { destination: newDestination({ settings: { webhooks } }) }
    const parts = webhooks.map((each) => partOf({ url: each.url }))
    const text = explanationOf({ ...delivery('dst_a', 'pending'), webhooks: parts }, context)
    expect(text).toMatch(/ to a\.example has been waiting .* to b\.example has been waiting /)
    expect(text).not.toContain('secret')
  })
})

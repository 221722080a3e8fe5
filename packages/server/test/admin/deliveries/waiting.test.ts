import type { DeliveryPart, Destination, Pause, WebhookState } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import {
  partWaiting,
  shownState,
  WAIT_REASONS,
  type WaitContext,
  type WaitReason,
} from '../../../src/admin/deliveries/waiting.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { newDestination } from '@hookline/testing/records/catalog-records'
import {
  attemptOf,
  LANE,
  lastOf,
  partOf,
} from '../../backend/conformance/deliveries/recorded-delivery.ts'

const NOW = NOON + 1_000
const { url } = LANE

/** How a case differs from a due part of a healthy webhook. */
interface WaitFixture {
  readonly part?: Partial<DeliveryPart>
  readonly destination?: Parameters<typeof newDestination>[0]
  readonly state?: Partial<WebhookState>
  /** When the current attempt began. */
  readonly begunAt?: number
}

function contextOf({ destination, state, begunAt }: WaitFixture): WaitContext {
  const healthy = { breaker: 'closed', brokenSince: null, openUntil: null } as const
  const states = [{ url, ...healthy, retryAfterUntil: null, pacePerSecond: null, ...state }]
  const inFlight = new Map(begunAt === undefined ? [] : [[url, begunAt]])
  return { destination: newDestination(destination), states, inFlight, now: NOW, jumpMs: 0 }
}

const waitingOf = (fixture: WaitFixture) => partWaiting(partOf(fixture.part), contextOf(fixture))

const pausedWebhook = (reason: Pause['reason']): Pick<Destination, 'settings'> => ({
  settings: {
    ...newDestination().settings,
    webhooks: [{ url, headers: {}, paused: { since: NOON - 7, reason } }],
  },
})
const pausedDestination = { paused: { since: NOON - 9, reason: 'operator' } } as const
const disabled = { enabled: false, updatedAt: NOON - 5 }
const open = { breaker: 'open', brokenSince: NOON - 60 } as const
/** A failed attempt at NOON + 100, and a retry due at this time. */
const failed = (dueAt: number): Partial<DeliveryPart> => ({
  dueAt,
  lastAttempt: lastOf(attemptOf({ startedAt: NOON + 100, durationMs: 20 })),
})
const FAILED_AT = NOON + 120

type WaitCase = readonly [
  title: string,
  fixture: WaitFixture,
  expected: readonly [reason: WaitReason, since: number, nextAttemptAt: number | null],
]

const ROWS: readonly WaitCase[] = [
  ['is queued once it is due', {}, ['queued', NOON, NOW]],
  [
    'with an attempt in progress waits for the response, even if its webhook is paused in the meantime',
    { begunAt: NOW - 3, destination: pausedWebhook('operator') },
    ['in_flight', NOW - 3, NOW],
  ],
  ['with a later retry waits for it', { part: failed(NOW + 5) }, ['retry', FAILED_AT, NOW + 5]],
  ['with a retry is queued once it is due', { part: failed(NOW - 5) }, ['queued', NOW - 5, NOW]],
  [
    'waits for the end of Retry-After',
    { part: failed(NOW + 5), state: { retryAfterUntil: NOW + 50 } },
    ['retry_after', FAILED_AT, NOW + 50],
  ],
  [
    'waits for a Retry-After in response to another delivery',
    { state: { retryAfterUntil: NOW + 50 } },
    ['retry_after', NOON, NOW + 50],
  ],
  [
    'with a retry after the end of Retry-After waits for the retry',
    { part: failed(NOW + 90), state: { retryAfterUntil: NOW + 50 } },
    ['retry', FAILED_AT, NOW + 90],
  ],
  [
    'waits while the breaker is open',
    { state: { ...open, openUntil: NOW + 30 } },
    ['breaker_open', NOON - 60, NOW + 30],
  ],
  [
    'waits for the probe of a half-open breaker',
    { state: { ...open, breaker: 'half_open', openUntil: null } },
    ['breaker_open', NOON - 60, NOW],
  ],
  [
    "with a retry after the breaker's open period waits for both",
    { part: failed(NOW + 90), state: { ...open, openUntil: NOW + 30 } },
    ['breaker_open', NOON - 60, NOW + 90],
  ],
  [
    'waits for Retry-After first, even if the breaker is open',
    { state: { ...open, openUntil: NOW + 30, retryAfterUntil: NOW + 50 } },
    ['retry_after', NOON, NOW + 50],
  ],
  [
    'waits until a manually paused webhook is resumed',
    { part: { state: 'held' }, destination: pausedWebhook('operator') },
    ['webhook_paused', NOON - 7, null],
  ],
  [
    'waits until a webhook that is gone is resumed',
    { part: { state: 'held' }, destination: pausedWebhook('webhook_gone') },
    ['webhook_gone', NOON - 7, null],
  ],
  [
    'waits until a webhook that its receiver has disabled is resumed',
    { part: { state: 'held' }, destination: pausedWebhook('disabled_by_receiver') },
    ['disabled_by_receiver', NOON - 7, null],
  ],
  [
    'waits until a webhook with a forbidden URL is resumed, regardless of its breaker',
    { destination: pausedWebhook('url_forbidden'), state: { ...open, openUntil: NOW + 30 } },
    ['url_forbidden', NOON - 7, null],
  ],
  [
    'waits until the destination is enabled',
    { part: failed(NOW + 5), destination: disabled },
    ['destination_disabled', NOON - 5, null],
  ],
  [
    'has waited since the destination was disabled, despite later changes',
    { part: failed(NOW + 5), destination: { ...disabled, enabledChangedAt: NOON - 8 } },
    ['destination_disabled', NOON - 8, null],
  ],
  [
    'waits until the destination is resumed, even if it is disabled and the webhook paused',
    { destination: { ...pausedWebhook('webhook_gone'), ...disabled, ...pausedDestination } },
    ['destination_paused', NOON - 9, null],
  ],
  [
    'that is held is queued once nothing is paused',
    { part: { state: 'held' } },
    ['queued', NOW, NOW],
  ],
]

test('every reason to wait has a test case', () => {
  const reasons = ROWS.map(([, , [reason]]) => reason)
  expect([...new Set(reasons)].toSorted()).toEqual(Object.keys(WAIT_REASONS).toSorted())
})

describe('a part of a delivery', () => {
  test.each(ROWS)('%s', (_, fixture, [reason, since, nextAttemptAt]) => {
    expect(waitingOf(fixture)).toEqual({ reason, since, nextAttemptAt })
  })

  test.each(['delivered', 'rejected', 'expired', 'not_retried', 'removed'] as const)(
    'that is %s waits for nothing',
    (state) => {
      expect(waitingOf({ part: { state }, destination: pausedDestination })).toBeNull()
    },
  )

  test('whose webhook or destination was removed has no reason to wait', () => {
    expect(waitingOf({ destination: { settings: { webhooks: [] } } })).toBeNull()
    expect(partWaiting(partOf(), { ...contextOf({}), destination: undefined })).toBeNull()
  })

  test('of a webhook whose health is unknown is queued', () => {
    const context = { ...contextOf({}), states: [] }
    expect(partWaiting(partOf(), context)).toMatchObject({ reason: 'queued' })
  })
})

test('the time of the next attempt follows the system clock, even after it was set', () => {
  const context = { ...contextOf({}), jumpMs: 9_000 }
  const waiting = partWaiting(partOf(failed(NOW + 500)), context)
  expect(waiting?.nextAttemptAt).toBe(NOW + 9_500)
})

test('no wait starts in the future, even after the system clock was set back', () => {
  const jumpMs = -2 * 86_400_000
  const now = NOW + jumpMs
  const queued = partWaiting(partOf({ dueAt: NOW }), { ...contextOf({}), now, jumpMs })
  expect(queued).toMatchObject({ reason: 'queued', since: now, nextAttemptAt: now })
  const context = contextOf({ state: { brokenSince: NOW - 7, openUntil: NOW + 5 } })
  const states = context.states.map((state) => shownState(state, jumpMs))
  const blocked = partWaiting(partOf({ dueAt: NOW }), { ...context, states, now, jumpMs })
  expect(blocked).toMatchObject({
    reason: 'breaker_open',
    since: now - 7,
    nextAttemptAt: now + 5,
  })
})

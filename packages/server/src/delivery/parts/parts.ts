import {
  LIMITS,
  type Attempt,
  type Delivery,
  type DeliveryPart,
  type DeliveryState,
  type Destination,
  type SuccessPolicy,
  type Webhook,
  type WebhookLimits,
  type WebhooksSettings,
} from '@hookline/protocol'
import { isForbidden, MAX_RETRY_AFTER_MS } from '../sending/outcome.ts'

export interface PartAttempt extends Attempt {
  readonly retryAfterMs?: number | undefined
}

export interface AttemptRules {
  readonly successPolicy: SuccessPolicy
  readonly schedule: RetrySchedule
  readonly now: number
  readonly random: number
}

/*
 * The states of a part. All transitions are pure functions:
 *
 *     pending ─ a 2xx ──────────────────────────────────────────────────────────▶ delivered
 *     pending ─ a response that no retry would change ──────────────────────────▶ rejected
 *     pending ─ the transform returns nothing ──────────────────────────────────▶ declined
 *     pending ─ any other failure; the next attempt fits the window ────────────▶ pending, due later
 *     pending, held ─ the window is over, or the next attempt would be too late ▶ expired or rejected
 *     pending, held, expired ─ it failed, and another webhook accepts (`any`) ──▶ not_retried
 *     pending ─ the webhook or destination is paused, or the URL is forbidden ──▶ held ─ resumed ─▶ pending
 *     pending, held ─ the webhook is removed ───────────────────────────────────▶ removed
 */

export function withParts(
  delivery: Delivery,
  { webhooks, successPolicy }: WebhooksSettings,
  now: number,
): Delivery {
  const added = webhooks
    .filter(({ url }) => partOf(delivery, url) === undefined)
    .map(({ url }): DeliveryPart => ({ url, state: 'pending', firstDueAt: now, dueAt: now }))
  // `concat`, because a spread reserves space for 16 more parts in each of thousands of deliveries.
  return replaceParts(delivery, delivery.webhooks.concat(added), successPolicy)
}

export function afterAttempt(
  delivery: Delivery,
  attempt: PartAttempt,
  rules: AttemptRules,
): Delivery {
  const parts = delivery.webhooks.map((part) =>
    part.url === attempt.url ? partAfter(part, attempt, rules) : part,
  )
  // If the transform declined the event, no request was made, so this does not count as an attempt.
  const attemptCount =
    attempt.outcome === 'declined'
      ? delivery.attemptCount
      : Math.max(delivery.attemptCount, attempt.number)
  return replaceParts(delivery, parts, rules.successPolicy, attemptCount)
}

/** Changes one webhook's part. Returns it unchanged if the change does not apply to its state. */
export type PartChange = (part: DeliveryPart) => DeliveryPart

export const hold: PartChange = (part) =>
  part.state === 'pending' ? { ...part, state: 'held', dueAt: null } : part

/** Makes a held part due at `now`, with a new retry window. */
export function resumeAt(now: number): PartChange {
  return (part) =>
    part.state === 'held' ? { ...part, state: 'pending', firstDueAt: now, dueAt: now } : part
}

/** Makes a pending part due at `now`, within the same retry window. */
export function makeDueAt(now: number): PartChange {
  return (part) => (part.state === 'pending' ? { ...part, dueAt: now } : part)
}

export const expire: PartChange = (part) => (isOpen(part) ? overdue(part) : part)

export const remove: PartChange = (part) => (isOpen(part) ? endPart(part, 'removed') : part)

export function withPart(
  delivery: Delivery,
  url: string,
  policy: SuccessPolicy,
  change: PartChange,
): Delivery {
  const parts = delivery.webhooks.map((part) => (part.url === url ? change(part) : part))
  return replaceParts(delivery, parts, policy)
}

/** Rejects a delivery that has no parts because its destination was removed first. */
export function asRejected(delivery: Delivery): Delivery {
  return { ...delivery, state: 'rejected', dueAt: null }
}

/** The settings of the destination, with `policy` as its success policy if set: notices always use `each`. */
export function settingsFor(
  { settings }: Pick<Destination, 'settings'>,
  policy: SuccessPolicy | undefined,
): WebhooksSettings {
  return policy === undefined ? settings : { ...settings, successPolicy: policy }
}

export function partOf(delivery: Delivery, url: string): DeliveryPart | undefined {
  return delivery.webhooks.find((part) => part.url === url)
}

export function pendingParts({ webhooks }: Delivery): readonly DeliveryPart[] {
  return webhooks.filter(({ state }) => state === 'pending')
}

function isOpen({ state }: DeliveryPart): boolean {
  return state === 'pending' || state === 'held'
}

function isDelivered({ state }: DeliveryPart): boolean {
  return state === 'delivered'
}

function isDeclined({ state }: DeliveryPart): boolean {
  return state === 'declined'
}

function partAfter(part: DeliveryPart, attempt: PartAttempt, rules: AttemptRules): DeliveryPart {
  const { headers: _headers, body: _body, retryAfterMs, ...lastAttempt } = attempt
  if (attempt.outcome !== 'retry')
    return { ...part, lastAttempt, state: attempt.outcome, dueAt: null }
  const attempted = { ...part, lastAttempt }
  const { schedule, now, random } = rules
  const { number } = attempt
  const { firstDueAt } = part
  if (isForbidden(attempt.class) && now < firstDueAt + schedule.windowMs)
    return { ...attempted, state: 'held', dueAt: null }
  const dueAt = nextAttemptAt(schedule, { number, firstDueAt, now, retryAfterMs, random })
  return dueAt === undefined ? overdue(attempted) : { ...attempted, state: 'pending', dueAt }
}

/** A part whose window is over: `rejected` if the receiver or the settings had to be fixed, `expired` otherwise. */
function overdue(part: DeliveryPart): DeliveryPart {
  const kind = part.lastAttempt?.class
  const isRejected = kind !== undefined && (kind === 'certificate_invalid' || isForbidden(kind))
  return endPart(part, isRejected ? 'rejected' : 'expired')
}

function endPart(part: DeliveryPart, state: DeliveryPart['state']): DeliveryPart {
  return { ...part, state, dueAt: null }
}

function replaceParts(
  delivery: Delivery,
  parts: readonly DeliveryPart[],
  policy: SuccessPolicy,
  attemptCount = delivery.attemptCount,
): Delivery {
  const isDone = policy === 'any' && parts.some(isDelivered)
  const webhooks = isDone ? parts.map(notRetried) : parts
  let dueAt: number | null = null
  for (const part of webhooks)
    if (part.dueAt !== null) dueAt = Math.min(part.dueAt, dueAt ?? Infinity)
  const wasDelivered = delivery.state === 'delivered'
  return {
    ...delivery,
    state: wasDelivered ? 'delivered' : stateOf(webhooks, policy),
    attemptCount,
    dueAt,
    webhooks,
  }
}

/** With policy `any`, each webhook gets one attempt, and no second one once another webhook has the event. */
function notRetried(part: DeliveryPart): DeliveryPart {
  const isFailed = part.lastAttempt !== undefined && (isOpen(part) || part.state === 'expired')
  return isFailed ? endPart(part, 'not_retried') : part
}

/**
 * - `delivered` when one webhook has accepted the event (`any`), or all remaining webhooks for which it was not declined (`each`);
 * - `declined` when it was declined for every remaining webhook;
 * - else `pending` or `held` while a part is;
 * - else `expired` when a part ran out of time, and `rejected` when none did.
 *
 * With `any`, a delivered delivery may have pending parts: they still get their one attempt.
 */
function stateOf(parts: readonly DeliveryPart[], policy: SuccessPolicy): DeliveryState {
  const present = parts.filter(({ state }) => state !== 'removed')
  const hasDelivered = parts.some(isDelivered)
  if (policy === 'any' && hasDelivered) return 'delivered'
  if (present.length > 0 && present.every((part) => isDelivered(part) || isDeclined(part)))
    return hasDelivered ? 'delivered' : 'declined'
  for (const state of ['pending', 'held', 'expired'] as const)
    if (parts.some((part) => part.state === state)) return state
  return 'rejected'
}

/**
 * Adds a part for each webhook, held if the webhook or the destination is paused. Rejects the delivery if its destination was
 * removed.
 */
export function newParts(
  delivery: Delivery,
  destination: Destination | undefined,
  now: number,
): Delivery {
  if (destination === undefined) return asRejected(delivery)
  const { settings } = destination
  return settings.webhooks
    .filter((webhook) => isPaused(destination, webhook))
    .reduce(
      (each, { url }) => withPart(each, url, settings.successPolicy, hold),
      withParts(delivery, settings, now),
    )
}

export function isPaused({ paused }: Destination, webhook: Webhook): boolean {
  return paused !== null || webhook.paused !== undefined
}

export interface RetrySchedule {
  /** How long a delivery is retried after it first became due. */
  readonly windowMs: number
  /** Delays after the first, second, … attempt instead of the exponential ones. The last one repeats. */
  readonly delaysMs?: readonly number[] | undefined
  /**
   * Whether the delays come from the webhook's `retrySchedule`: these get jitter and a repeat limit. The `retrySchedule` setting,
   * used in tests, gets neither.
   */
  readonly isOwn?: boolean
  /** Whether webhooks cannot change the window. */
  readonly isWindowFixed?: boolean
}

/** The schedule of a webhook with these limits. */
export function scheduleFor(
  schedule: RetrySchedule,
  limits: WebhookLimits | undefined,
): RetrySchedule {
  if (limits === undefined) return schedule
  const { retryWindowMs = schedule.windowMs, retryScheduleMs: delaysMs } = limits
  const windowMs = schedule.isWindowFixed === true ? schedule.windowMs : retryWindowMs
  return { ...schedule, windowMs, ...(delaysMs && { delaysMs, isOwn: true }) }
}

interface FailedAttempt {
  readonly number: number
  readonly firstDueAt: number
  readonly now: number
  readonly retryAfterMs?: number | undefined
  readonly random: number
}

const FIRST_DELAY_MS = 5_000
const MAX_DELAY_MS = 30 * 60_000
const MAX_LAST_SPAN_MS = 60_000
const MAX_JITTER = 1.25

/**
 * The time of the next attempt; `undefined` if none fits in the window. By default, the delay after
 * attempt n is min(30 min, 5 s · 3^(n−1)) × U(0.75, 1.25), or `Retry-After` if that is longer. The last attempt falls in the final
 * minute of the window, or its final tenth if the window is shorter than ten minutes.
 */
export function nextAttemptAt(schedule: RetrySchedule, attempt: FailedAttempt): number | undefined {
  const { firstDueAt, now, retryAfterMs = 0, random } = attempt
  const end = firstDueAt + schedule.windowMs
  const lastSpanMs = Math.min(MAX_LAST_SPAN_MS, schedule.windowMs / 10)
  const next = now + Math.max(delayMs(schedule, attempt), retryAfterMs)
  if (next < end - lastSpanMs) return next
  const last = Math.round(end - lastSpanMs * (1 - random))
  return now < end - lastSpanMs && now + retryAfterMs <= last ? last : undefined
}

/** The maximum wait between two attempts. */
export function longestWaitMs({ delaysMs = [] }: Pick<RetrySchedule, 'delaysMs'>): number {
  const maxDelayMs = Math.max(MAX_DELAY_MS, ...delaysMs) * MAX_JITTER
  return Math.max(maxDelayMs, MAX_RETRY_AFTER_MS) + MAX_LAST_SPAN_MS
}

function delayMs(
  { delaysMs = [], windowMs, isOwn = false }: RetrySchedule,
  { number, random }: FailedAttempt,
): number {
  const delay =
    delaysMs[Math.min(number, delaysMs.length) - 1] ??
    Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 3 ** (number - 1))
  if (delaysMs.length > 0 && !isOwn) return delay
  const minMs = isOwn && number > delaysMs.length ? windowMs / LIMITS.repeatsOfLastDelay : 0
  return Math.round(Math.max(delay, minMs) * (MAX_JITTER - (1 - random) / 2))
}

import type { Attempt, Delivery, SuccessPolicy, WebhookProgress } from '@hookline/protocol'
import { nextAttemptAt, type RetrySchedule } from './retry-schedule.ts'

/** An attempt of a round, with the pause that the receiver asked for. */
export interface RoundAttempt extends Attempt {
  readonly retryAfterMs?: number | undefined
}

/** What decides the state of a delivery after a round. */
export interface RoundRules {
  /** The URLs of all webhooks that the destination has now. */
  readonly urls: readonly string[]
  /** Those of them whose webhook is paused, so it is not tried. */
  readonly pausedUrls: ReadonlySet<string>
  readonly successPolicy: SuccessPolicy
  readonly schedule: RetrySchedule
  /** Until when a webhook may not be tried, because its breaker is open or it asked for a pause. */
  readonly blockedUntil: (url: string) => number
  readonly now: number
  /** Uniform over [0, 1). One value for the whole round, so that its webhooks stay due at the same time. */
  readonly random: number
}

/** The webhooks to try in a round at `now`: those that have not ended, are due, and are neither blocked nor paused. */
export function dueUrls(
  delivery: Delivery,
  rules: Pick<RoundRules, 'urls' | 'pausedUrls' | 'blockedUntil' | 'now'>,
): string[] {
  const { webhooks } = delivery
  return activeUrls(rules).filter(
    (url) => (nextTryAt(webhooks, url, rules) ?? Infinity) <= rules.now,
  )
}

/**
 * The delivery after a round. Pure. The states of a delivery:
 *
 *     pending ─ a webhook took it (policy `any`), or every webhook did (policy `each`) ─▶ delivered
 *     pending ─ every webhook has ended, and at least one ran out of time ──────────────▶ expired
 *     pending ─ every webhook has ended, and none ran out of time ──────────────────────▶ rejected
 *     pending ─ all webhooks that are still to be tried are paused ─────────────────────▶ held
 *     pending ─ a webhook that is not paused is still to be tried ──────────────────────▶ pending
 *
 * A delivery that stays pending is due at the earliest time of those webhooks. With policy `any`, a paused webhook
 * counts only when all webhooks are paused. A round in which every due webhook was blocked has no attempts, and does
 * not count.
 */
export function afterRound(
  delivery: Delivery,
  attempts: readonly RoundAttempt[],
  rules: RoundRules,
): Delivery {
  const { urls, pausedUrls, successPolicy } = rules
  const progress = new Map(delivery.webhooks.map((webhook) => [webhook.url, webhook]))
  for (const attempt of attempts) progress.set(attempt.url, progressOf(delivery, attempt, rules))
  const webhooks = [...progress.values()]
  const rounds = delivery.rounds + (attempts.length > 0 ? 1 : 0)
  const after: Delivery = { ...delivery, rounds, webhooks }

  const current = urls.map((url) => progress.get(url))
  if (successPolicy === 'any' ? webhooks.some(isDelivered) : current.every(isDelivered))
    return ended(after, 'delivered')
  const open = urls.filter((url) => nextTryAt(webhooks, url, rules) !== undefined)
  const nextTries = open
    .filter((url) => !pausedUrls.has(url))
    .map((url) => nextTryAt(webhooks, url, rules)!)
  if (nextTries.length > 0) return { ...after, dueAt: Math.min(...nextTries) }
  const active = activeUrls(rules)
  if (open.length > 0 && (successPolicy === 'each' || active.length === 0)) return asHeld(after)
  const isLate = active.some((url) => progress.get(url)?.outcome === 'retry')
  return ended(after, isLate ? 'expired' : 'rejected')
}

/** The delivery while it waits for its destination to be resumed. */
export function asHeld(delivery: Delivery): Delivery {
  return { ...delivery, state: 'held', dueAt: null }
}

/** The delivery of a destination that was removed. */
export function asRejected(delivery: Delivery): Delivery {
  return { ...delivery, state: 'rejected', dueAt: null }
}

function ended(delivery: Delivery, state: Delivery['state']): Delivery {
  const webhooks = delivery.webhooks.map(({ dueAt: _, ...webhook }) => webhook)
  return { ...delivery, state, dueAt: null, webhooks }
}

function activeUrls({ urls, pausedUrls }: Pick<RoundRules, 'urls' | 'pausedUrls'>): string[] {
  return urls.filter((url) => !pausedUrls.has(url))
}

function isDelivered(webhook: WebhookProgress | undefined): boolean {
  return webhook?.outcome === 'delivered'
}

/** When the webhook is to be tried next; `undefined` when it has ended. */
function nextTryAt(
  webhooks: readonly WebhookProgress[],
  url: string,
  { blockedUntil, now }: Pick<RoundRules, 'blockedUntil' | 'now'>,
): number | undefined {
  const progress = webhooks.find((webhook) => webhook.url === url)
  if (progress === undefined) return Math.max(now, blockedUntil(url))
  return progress.dueAt === undefined ? undefined : Math.max(progress.dueAt, blockedUntil(url))
}

function progressOf(delivery: Delivery, attempt: RoundAttempt, rules: RoundRules): WebhookProgress {
  const { headers: _headers, body: _body, retryAfterMs, ...last } = attempt
  if (attempt.outcome !== 'retry') return { url: attempt.url, outcome: attempt.outcome, last }
  const { schedule, now, random } = rules
  const { number } = attempt
  const { firstDueAt } = delivery
  const dueAt = nextAttemptAt(schedule, { number, firstDueAt, now, retryAfterMs, random })
  return { url: attempt.url, outcome: 'retry', last, ...(dueAt === undefined ? {} : { dueAt }) }
}

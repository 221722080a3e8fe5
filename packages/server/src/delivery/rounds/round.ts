import type { Attempt, Delivery, SuccessPolicy, WebhookProgress } from '@hookline/protocol'
import { nextAttemptAt, type RetrySchedule } from './retry-schedule.ts'

/** An attempt as the round made it, with what the receiver asked for. */
export interface RoundAttempt extends Attempt {
  readonly retryAfterMs?: number | undefined
}

/** What a round is judged by. */
export interface RoundRules {
  /** The URLs of the destination as it is now. */
  readonly urls: readonly string[]
  /** Those of them that are not tried, because their webhook is paused. */
  readonly pausedUrls: ReadonlySet<string>
  readonly successPolicy: SuccessPolicy
  readonly schedule: RetrySchedule
  /** Until when a webhook may not be tried, for those that asked for quiet. */
  readonly quietUntil: (url: string) => number
  readonly now: number
  /** Evenly spread over [0, 1). One for the whole round, so that its webhooks stay side by side. */
  readonly random: number
}

/** The webhooks to try in a round at `now`: those without an end whose time has come, not quiet and not paused. */
export function dueUrls(
  delivery: Delivery,
  rules: Pick<RoundRules, 'urls' | 'pausedUrls' | 'quietUntil' | 'now'>,
): string[] {
  const { quietUntil, now } = rules
  return activeUrls(rules).filter(
    (url) => (openUntil(delivery.webhooks, url, quietUntil, now) ?? Infinity) <= now,
  )
}

/**
 * The delivery after a round, pure. The states, for one delivery:
 *
 *     pending ──a webhook took it (policy `any`), or every one did (`each`)──▶ delivered
 *        │ ▲ └──every webhook has an end, one for lack of time──▶ expired
 *        └─┘ └──every webhook has an end, none for lack of time──▶ rejected
 *    a webhook is still to be tried: due at the earliest time of those; where all of those are
 *    paused: held
 *
 * With policy `any` a paused webhook has no say while another one has.
 * A round in which every due webhook was quiet has no attempts and burns none.
 */
export function afterRound(
  delivery: Delivery,
  attempts: readonly RoundAttempt[],
  rules: RoundRules,
): Delivery {
  const { urls, pausedUrls, successPolicy, quietUntil, now } = rules
  const progress = new Map(delivery.webhooks.map((webhook) => [webhook.url, webhook]))
  for (const attempt of attempts) progress.set(attempt.url, progressOf(delivery, attempt, rules))
  const webhooks = [...progress.values()]
  const rounds = delivery.rounds + (attempts.length > 0 ? 1 : 0)
  const end = (state: Delivery['state']): Delivery => ({
    ...delivery,
    state,
    rounds,
    dueAt: null,
    webhooks: webhooks.map(({ dueAt: _, ...webhook }) => webhook),
  })

  const active = activeUrls(rules)
  const ofNow = urls.map((url) => progress.get(url))
  if (successPolicy === 'any' ? webhooks.some(isDelivered) : ofNow.every(isDelivered))
    return end('delivered')
  const openUrls = urls.filter((url) => openUntil(webhooks, url, quietUntil, now) !== undefined)
  const open = openUrls
    .filter((url) => !pausedUrls.has(url))
    .map((url) => openUntil(webhooks, url, quietUntil, now)!)
  if (open.length > 0) return { ...delivery, rounds, webhooks, dueAt: Math.min(...open) }
  if (openUrls.length > 0 && (successPolicy === 'each' || active.length === 0))
    return { ...delivery, state: 'held', rounds, webhooks, dueAt: null }
  const isLate = active.some((url) => progress.get(url)?.outcome === 'retry')
  return end(isLate ? 'expired' : 'rejected')
}

function activeUrls({ urls, pausedUrls }: Pick<RoundRules, 'urls' | 'pausedUrls'>): string[] {
  return urls.filter((url) => !pausedUrls.has(url))
}

function isDelivered(webhook: WebhookProgress | undefined): boolean {
  return webhook?.outcome === 'delivered'
}

/** When the webhook is to be tried next; `undefined` when it has come to an end. */
function openUntil(
  webhooks: readonly WebhookProgress[],
  url: string,
  quietUntil: RoundRules['quietUntil'],
  now: number,
): number | undefined {
  const progress = webhooks.find((webhook) => webhook.url === url)
  if (progress === undefined) return Math.max(now, quietUntil(url))
  return progress.dueAt === undefined ? undefined : Math.max(progress.dueAt, quietUntil(url))
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

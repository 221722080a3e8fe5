import type { Attempt, DeliveryContent, Destination } from '@hookline/protocol'
import type { Counter } from 'prom-client'
import type { DeliveryContext } from '../delivery-context.ts'
import { fieldsOf } from '../../telemetry/names.ts'
import { type Clock, toWallClock } from '../../util/time/clock.ts'
import type { WebhookHealth } from '../health/webhook-health.ts'
import type { WebhookLog } from '../health/webhook-log.ts'
import { WebhookPauser } from '../health/webhook-pauser.ts'
import type { Lane } from '../lanes/lane.ts'
import type { PartTask } from '../lanes/open-delivery.ts'
import { classification, loggedError } from '../sending/outcome.ts'
import type { CompletedAttempt, Attempts } from './attempts.ts'
import { hold, isPaused, partOf, remove, settingsFor, withPart, withParts } from './parts.ts'

type PartResult = 'changed' | 'not begun'

export interface PartRunnerOptions extends DeliveryContext {
  readonly attempts: Attempts
  readonly health: WebhookHealth
  readonly webhookLog: Pick<WebhookLog, 'onAttempt'>
  /** Stores the response to every failed attempt, without the hourly limit. */
  readonly keepsEveryResponse?: boolean
  readonly onRecovery: () => void
  /** A webhook is being paused; the promise resolves when the pause is in the catalog. */
  readonly onPausing: (pausing: Promise<unknown>) => void
}

/** Makes the attempt of one task that has a slot, unless its destination has changed while the task waited. */
export class PartRunner {
  readonly #options: PartRunnerOptions
  readonly #history: HistoryBudget
  readonly #pauser: WebhookPauser

  constructor(options: PartRunnerOptions) {
    this.#options = options
    this.#history = new HistoryBudget(options.clock, options.metrics.historyBodiesDropped)
    this.#pauser = new WebhookPauser(options)
  }

  /**
   * Updates the delivery. Returns `'not begun'`, without a change, if the delivery is purged, its destination disabled, the
   * webhook blocked, or the attempt aborted by a stop. Throws only for a bug.
   */
  async run(lane: Lane, task: PartTask): Promise<PartResult> {
    const { open, url } = task
    const { catalog, deletions, health, clock } = this.#options
    const destination = catalog.current.destinations.get(open.delivery.destinationId)
    const webhook = destination?.settings.webhooks.find((each) => each.url === url)
    if (deletions.isPurged(open.event)) return 'not begun'
    // With policy `any`, another webhook may have received the event while a retry waited.
    if (partOf(open.delivery, url)?.state !== 'pending') return 'changed'
    if (destination === undefined) {
      open.delivery = withPart(open.delivery, url, 'each', remove)
    } else if (webhook === undefined) {
      const settings = settingsFor(destination, this.#options.successPolicy)
      const split = withParts(open.delivery, settings, clock.now())
      open.delivery = withPart(split, url, settings.successPolicy, remove)
    } else if (isPaused(destination, webhook)) {
      const { successPolicy } = settingsFor(destination, this.#options.successPolicy)
      open.delivery = withPart(open.delivery, url, successPolicy, hold)
    } else if (!destination.enabled || health.blockedUntil(destination.id, url) > clock.now()) {
      return 'not begun'
    } else {
      const mayBegin = (): boolean => this.#mayBegin(task, destination)
      const completed = await this.#options.attempts.make(open, destination, webhook, mayBegin)
      if (completed === undefined) return 'not begun'
      this.#report(lane, task, destination, completed)
    }
    return 'changed'
  }

  /** Whether neither the destination nor the delivery has changed since the checks of `run`. */
  #mayBegin({ open, url }: PartTask, { id, version }: Destination): boolean {
    const { catalog, deletions } = this.#options
    return (
      catalog.current.destinations.get(id)?.version === version &&
      !deletions.isPurged(open.event) &&
      partOf(open.delivery, url)?.state === 'pending'
    )
  }

  #report(lane: Lane, task: PartTask, destination: Destination, completed: CompletedAttempt): void {
    const { webhookLog, health, clock, signal, onPausing, onRecovery } = this.#options
    const now = clock.now()
    const { open } = task
    const { attempt, begunAt } = completed
    reportAttempt(completed, open.event, this.#options)
    if (attempt.outcome !== 'declined')
      webhookLog.onAttempt(destination.id, attempt, completed.breaker)
    const kept = this.#options.keepsEveryResponse
      ? attempt
      : this.#history.within(destination.id, attempt)
    open.attempts = open.attempts.concat(kept)
    if (!completed.isSent) return
    const isPaced =
      lane.limits?.perSecond !== undefined ||
      health.pacePerSecond(destination.id, attempt.url) !== undefined
    const { outcome } = classification(attempt.class)
    lane.onResult(task, { outcome, begunAt }, { now, isPaced })
    const pausing = this.#pauser.onResult(destination.id, completed, signal)
    if (pausing) onPausing(pausing)
    if (completed.breaker !== 'closed') return
    lane.beginRecovery(now)
    onRecovery()
  }
}

function reportAttempt(
  { before, after, attempt, fault, isSent }: CompletedAttempt,
  { receivedAt }: Pick<DeliveryContent, 'receivedAt'>,
  { catalog, logger, metrics, clock }: DeliveryContext,
): void {
  const { class: kind, outcome } = attempt
  metrics.attempts.count(keyOf(attempt), { outcome, class: kind })
  metrics.destinationCounts.attempt(after.destinationId, attempt.url, attempt.outcome)
  if (isSent) metrics.attemptDuration.observe(attempt.durationMs / 1000)
  if (after.state === 'delivered' && before.state !== 'delivered')
    metrics.endToEnd.observe(Math.max(0, clock.wall() - receivedAt) / 1000)
  if (attempt.outcome === 'delivered') return
  if (fault === undefined && !logger.isLevelEnabled('debug')) return
  const fields = {
    ...fieldsOf(after.destinationId, attempt.url, catalog.current),
    deliveryId: after.id,
  }
  if (fault !== undefined) logger.error({ ...fields, err: fault }, 'attempt.crashed')
  const part = partOf(after, attempt.url)
  const dueAt = part?.dueAt ?? null
  logger.debug(
    {
      ...fields,
      eventId: after.eventId,
      state: part?.state,
      nextAttemptAt: dueAt === null ? undefined : new Date(toWallClock(dueAt, clock)).toISOString(),
      ...summary(attempt),
    },
    'attempt.failed',
  )
}

function keyOf({ class: kind, outcome }: Attempt): string {
  return outcome === 'delivered' ? outcome : `${kind} ${outcome}`
}

function summary(attempt: Attempt): object {
  const { number, class: kind, status, durationMs } = attempt
  return { attempt: number, class: kind, status, error: loggedError(attempt), durationMs }
}

const HOUR_MS = 60 * 60 * 1000
/** Responses stored per hour for each kind of failure; then one per minute, as a recent example: at most 100. */
const FIRST_OF_HOUR = 40
const THEN_EVERY_MS = 60_000
const MAX_KINDS = 10_000

/** Limits the stored responses of each destination, URL and failure class. Further attempts are stored without them. */
export class HistoryBudget {
  readonly #clock: Clock
  readonly #dropped: Pick<Counter, 'inc'>
  readonly #kept = new Map<string, { count: number; lastAt: number }>()
  #hour = 0

  constructor(clock: Clock, dropped: Pick<Counter, 'inc'>) {
    this.#clock = clock
    this.#dropped = dropped
  }

  within(destinationId: string, attempt: Attempt): Attempt {
    const hasResponse = attempt.headers !== undefined || attempt.body !== undefined
    if (attempt.outcome === 'delivered' || !hasResponse) return attempt
    if (this.#mayKeep(`${destinationId} ${attempt.url} ${attempt.class}`)) return attempt
    this.#dropped.inc()
    const { headers: _headers, body: _body, ...rest } = attempt
    return rest
  }

  #mayKeep(kind: string): boolean {
    const now = this.#clock.now()
    const hour = Math.floor(now / HOUR_MS)
    if (hour !== this.#hour) this.#kept.clear()
    this.#hour = hour
    const kept = this.#kept.get(kind)
    if (kept === undefined) {
      if (this.#kept.size >= MAX_KINDS) return false
      this.#kept.set(kind, { count: 1, lastAt: now })
      return true
    }
    if (kept.count >= FIRST_OF_HOUR && now < kept.lastAt + THEN_EVERY_MS) return false
    kept.count += 1
    kept.lastAt = now
    return true
  }
}

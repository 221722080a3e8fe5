import type { Attempt, Carried, Destination, SuccessPolicy, Webhook } from '@hookline/protocol'
import type { Logger } from '../../telemetry/logger.ts'
import type { FollowedCatalog } from '../../backend/catalog.ts'
import type { Deletions } from '../../backend/deletions.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { fieldsOf } from '../../telemetry/names.ts'
import { type Clock, shownAt } from '../../util/time/clock.ts'
import type { WebhookHealth } from '../health/webhook-health.ts'
import type { WebhookLog } from '../health/webhook-log.ts'
import { WebhookPauser } from '../health/webhook-pauser.ts'
import type { Lane } from '../lanes/lane.ts'
import type { PartTask } from '../lanes/open-delivery.ts'
import { AttemptAborted } from '../network/network-errors.ts'
import { HistoryBudget } from '../records/history-budget.ts'
import type { AttemptMade, Attempts } from './attempts.ts'
import { isPaused, partOf, settingsFor, withHeld, withParts, withRemoved } from './parts.ts'

type PartResult = 'changed' | 'not begun'

export interface PartRunnerOptions {
  readonly catalog: FollowedCatalog
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly attempts: Attempts
  readonly health: WebhookHealth
  readonly webhookLog: Pick<WebhookLog, 'onAttempt'>
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  /** In place of the success policy of the destination. */
  readonly successPolicy?: SuccessPolicy | undefined
  /** Keeps the response to every failed attempt, without the limit of 100 an hour. */
  readonly keepsEveryResponse?: boolean
  readonly signal: AbortSignal
  /** A lane recovers: its parked parts may be attempted now. */
  readonly onRecovery: () => void
  /** A webhook is being paused; the promise resolves when that is in the catalog. */
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
   * Changes the delivery. The result is `'not begun'`, and nothing is changed, when the delivery is purged, its destination is
   * disabled, the webhook is blocked, or the attempt was aborted because the service stops.
   * @throws an error that is a bug of Hookline
   */
  run(lane: Lane, task: PartTask): PartResult | Promise<PartResult> {
    const { open, url } = task
    const { catalog, deletions, health, clock } = this.#options
    const destination = catalog.current.destinations.get(open.delivery.destinationId)
    const webhook = destination?.settings.webhooks.find((each) => each.url === url)
    if (deletions.isPurged(open.event)) return 'not begun'
    // With policy `any`, another webhook may have taken it while a retry waited.
    if (partOf(open.delivery, url)?.state !== 'pending') return 'changed'
    if (destination === undefined) {
      open.delivery = withRemoved(open.delivery, url, 'each')
    } else if (webhook === undefined) {
      const settings = settingsFor(destination, this.#options.successPolicy)
      const split = withParts(open.delivery, settings, clock.now())
      open.delivery = withRemoved(split, url, settings.successPolicy)
    } else if (isPaused(destination, webhook)) {
      const { successPolicy } = settingsFor(destination, this.#options.successPolicy)
      open.delivery = withHeld(open.delivery, url, successPolicy)
    } else if (!destination.enabled || health.blockedUntil(destination.id, url) > clock.now()) {
      return 'not begun'
    } else {
      return this.#attempt(lane, task, destination, webhook)
    }
    return 'changed'
  }

  async #attempt(
    lane: Lane,
    task: PartTask,
    destination: Destination,
    webhook: Webhook,
  ): Promise<PartResult> {
    try {
      const made = await this.#options.attempts.make(task.open, destination, webhook)
      this.#report(lane, task, destination, made)
      return 'changed'
    } catch (error) {
      if (error instanceof AttemptAborted) return 'not begun'
      throw error
    }
  }

  #report(lane: Lane, task: PartTask, destination: Destination, made: AttemptMade): void {
    const { webhookLog, health, clock, signal, onPausing } = this.#options
    const now = clock.now()
    const { open } = task
    const { attempt, begunAt } = made
    reportAttempt(made, open.event, this.#options)
    webhookLog.onAttempt(destination.id, attempt, made.breaker)
    const kept = this.#options.keepsEveryResponse
      ? [attempt]
      : this.#history.within(destination.id, [attempt])
    open.attempts = open.attempts.concat(kept)
    const isPaced = health.pacePerSecond(destination.id, attempt.url) !== undefined
    lane.onResult(task, { outcome: attempt.outcome, begunAt }, { now, isPaced })
    const pausing = this.#pauser.onResult(destination.id, attempt, signal)
    if (pausing) onPausing(pausing)
    if (made.breaker) this.#onBreaker(lane, made.breaker)
  }

  #onBreaker(lane: Lane, change: 'opened' | 'closed'): void {
    if (change === 'opened') return
    lane.beginRecovery(this.#options.clock.now())
    this.#options.onRecovery()
  }
}

interface ReportContext {
  readonly catalog: Pick<FollowedCatalog, 'current'>
  readonly logger: Logger
  readonly metrics: Metrics
  readonly clock: Clock
}

/** Counts an attempt in the metrics. When it failed, it also logs a line, which only the level debug has. */
function reportAttempt(
  { before, after, attempt, fault }: AttemptMade,
  { receivedAt }: Pick<Carried, 'receivedAt'>,
  { catalog, logger, metrics, clock }: ReportContext,
): void {
  const { class: kind, outcome } = attempt
  // The class decides the outcome.
  metrics.attempts.count(kind, { outcome, class: kind })
  metrics.destinationCounts.attempt(after.destinationId, attempt.url, attempt.outcome)
  metrics.attemptDuration.observe(attempt.durationMs / 1000)
  if (after.state === 'delivered' && before.state !== 'delivered')
    metrics.endToEnd.observe(Math.max(0, clock.wall() - receivedAt) / 1000)
  if (attempt.outcome === 'delivered') return
  if (fault === undefined && !logger.isLevelEnabled('debug')) return
  const fields = {
    ...fieldsOf(after.destinationId, attempt.url, catalog.current),
    deliveryId: after.id,
  }
  if (fault !== undefined) logger.error({ ...fields, err: fault }, 'attempt.fault')
  const part = partOf(after, attempt.url)
  const dueAt = part?.dueAt ?? null
  logger.debug(
    {
      ...fields,
      eventId: after.eventId,
      state: part?.state,
      nextAttemptAt: dueAt === null ? undefined : new Date(shownAt(dueAt, clock)).toISOString(),
      ...summary(attempt),
    },
    'attempt.failed',
  )
}

function summary({ number, class: kind, status, error, durationMs }: Attempt): object {
  return { attempt: number, class: kind, status, error, durationMs }
}

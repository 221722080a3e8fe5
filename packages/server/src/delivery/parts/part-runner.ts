import type { Destination, SuccessPolicy, Webhook } from '@hookline/protocol'
import type { Logger } from '../../telemetry/logger.ts'
import type { FollowedCatalog } from '../../backend/catalog.ts'
import type { Deletions } from '../../backend/deletions.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/time/clock.ts'
import type { WebhookHealth } from '../health/webhook-health.ts'
import type { WebhookLog } from '../health/webhook-log.ts'
import { WebhookPauser } from '../health/webhook-pauser.ts'
import type { Lane } from '../lanes/lane.ts'
import type { PartTask } from '../lanes/open-delivery.ts'
import { AttemptAborted } from '../network/network-errors.ts'
import { HistoryBudget } from '../records/history-budget.ts'
import type { AttemptMade, Attempts } from './attempts.ts'
import { isPaused } from './new-parts.ts'
import { partOf, settingsFor, withHeld, withParts, withRemoved } from './parts.ts'
import { reportAttempt } from './report-attempt.ts'

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

import type { Attempt, DeliveryContent, Destination } from '@hookline/protocol'
import type { DeliveryContext } from '../delivery-context.ts'
import { fieldsOf } from '../../telemetry/names.ts'
import { toWallClock } from '../../util/time/clock.ts'
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
  readonly onRecovery: () => void
  /** Called when a webhook is being paused; the promise resolves when the pause is in the catalog. */
  readonly onPausing: (pausing: Promise<unknown>) => void
}

/** Makes the attempt for one task that has a slot, if it may still be made. */
export class PartRunner {
  readonly #options: PartRunnerOptions
  readonly #pauser: WebhookPauser

  constructor(options: PartRunnerOptions) {
    this.#options = options
    this.#pauser = new WebhookPauser(options)
  }

  /**
   * Updates the delivery. Returns `'not begun'`, without a change, if the delivery is purged, its destination disabled, the
   * webhook blocked, or the attempt aborted or no longer allowed to begin. Throws only for a bug.
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
    open.attempts = open.attempts.concat(attempt)
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

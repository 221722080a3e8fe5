import type { Attempt, Carried } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { RecordedDelivery } from '../../backend/deliveries.ts'
import type { BreakerChange } from './attempt-round.ts'
import type { Metrics } from '../../telemetry/metrics.ts'

interface ReportContext {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly now: number
}

/** Counts a round in the metrics. When an attempt failed, it also logs one line for the whole round. */
export function reportRound(
  { delivery, attempts }: RecordedDelivery,
  { event }: Carried,
  { logger, metrics, now }: ReportContext,
): void {
  for (const attempt of attempts) {
    metrics.attempts.inc({ outcome: attempt.outcome, class: attempt.class })
    metrics.attemptDuration.observe(attempt.durationMs / 1000)
  }
  if (delivery.dueAt === null && delivery.state !== 'held')
    metrics.deliveriesEnded.inc({ state: delivery.state })
  if (delivery.state === 'delivered') {
    metrics.endToEnd.observe((now - Date.parse(event.receivedAt)) / 1000)
  }
  const failed = attempts.filter(({ outcome }) => outcome !== 'delivered')
  if (failed.length === 0) return
  logger.warn(
    {
      deliveryId: delivery.id,
      eventId: delivery.eventId,
      destinationId: delivery.destinationId,
      round: delivery.rounds,
      state: delivery.state,
      nextAttemptAt: delivery.dueAt === null ? undefined : new Date(delivery.dueAt).toISOString(),
      attempts: failed.map(summary),
    },
    'round.failed',
  )
}

/** Logs that a breaker opened or closed, and counts the open ones. */
export function reportBreaker(
  destinationId: string,
  { url, change }: BreakerChange,
  { logger, metrics }: Pick<ReportContext, 'logger' | 'metrics'>,
): void {
  metrics.breakersOpen.inc(change === 'opened' ? 1 : -1)
  logger.warn({ destinationId, host: new URL(url).host }, `breaker.${change}`)
}

// Only the host: the path and the query of a webhook may contain a credential.
function summary({ url, status, error, durationMs, ...attempt }: Attempt): object {
  return { host: new URL(url).host, class: attempt.class, status, error, durationMs }
}

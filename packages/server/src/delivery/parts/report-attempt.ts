import type { Attempt, Carried } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { LaneId } from '../../backend/deliveries.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { type Clock, shownAt } from '../../util/clock.ts'
import type { AttemptMade } from './attempts.ts'
import { partOf } from './parts.ts'

interface ReportContext {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly clock: Clock
}

/** Counts an attempt in the metrics. When it failed, it also logs a line. */
export function reportAttempt(
  { before, after, attempt, fault }: AttemptMade,
  { event }: Carried,
  { logger, metrics, clock }: ReportContext,
): void {
  metrics.attempts.inc({ outcome: attempt.outcome, class: attempt.class })
  metrics.attemptDuration.observe(attempt.durationMs / 1000)
  if (after.state === 'delivered' && before.state !== 'delivered')
    metrics.endToEnd.observe(Math.max(0, clock.wall() - Date.parse(event.receivedAt)) / 1000)
  if (attempt.outcome === 'delivered') return
  if (fault !== undefined) logger.error({ err: fault, deliveryId: after.id }, 'attempt.fault')
  const part = partOf(after, attempt.url)
  const dueAt = part?.dueAt ?? null
  logger.warn(
    {
      deliveryId: after.id,
      eventId: after.eventId,
      destinationId: after.destinationId,
      state: part?.state,
      nextAttemptAt: dueAt === null ? undefined : new Date(shownAt(dueAt, clock)).toISOString(),
      ...summary(attempt),
    },
    'attempt.failed',
  )
}

/** Logs that a breaker opened or closed. */
export function reportBreaker(
  { destinationId, url }: LaneId,
  change: 'opened' | 'closed',
  logger: Logger,
): void {
  logger.warn({ destinationId, host: new URL(url).host }, `breaker.${change}`)
}

// Only the host: the path and the query of a webhook may contain a credential.
function summary({ number, url, class: kind, status, error, durationMs }: Attempt): object {
  return { attempt: number, host: new URL(url).host, class: kind, status, error, durationMs }
}

import type { Attempt, Carried } from '@hookline/protocol'
import type { Logger } from '../../telemetry/logger.ts'
import type { FollowedCatalog } from '../../backend/catalog.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { fieldsOf } from '../../telemetry/names.ts'
import { type Clock, shownAt } from '../../util/time/clock.ts'
import type { AttemptMade } from './attempts.ts'
import { partOf } from './parts.ts'

interface ReportContext {
  readonly catalog: Pick<FollowedCatalog, 'current'>
  readonly logger: Logger
  readonly metrics: Metrics
  readonly clock: Clock
}

/** Counts an attempt in the metrics. When it failed, it also logs a line, which only the level debug has. */
export function reportAttempt(
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

import { BackendUnavailableError } from '../backend/backend.ts'
import type { LeaseName, Leases } from '../backend/nodes.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/time/clock.ts'
import { Supervisor, type FailedWorker } from '../util/workers/supervisor.ts'
import type { Worker } from '../util/workers/worker.ts'

export interface SupervisionOptions {
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  /**
   * Called when a worker that ingestion or delivery needs has failed five times within a minute: the process should
   * exit.
   */
  readonly onPermanentFailure: (failure: FailedWorker) => void
}

/** Workers that neither ingestion nor delivery needs. One that keeps failing is suspended, and the process continues. */
export const NONCRITICAL_WORKERS: ReadonlySet<string> = new Set([
  'alerts',
  'event-names',
  'profiles',
  'syncs',
  'deletions',
  'replays',
  'retention',
  'trait-indexes',
  'accounting',
  'clock',
  'webhooks.log',
  'notices.split',
  'notices.parked',
  'notices.fresh',
])

/** A supervisor that logs and counts failures. Workers stop when `signal` aborts. */
export function openSupervisor(options: SupervisionOptions, signal: AbortSignal): Supervisor {
  const { clock, metrics, logger } = options
  return new Supervisor({
    clock,
    isTransient: (error) => error instanceof BackendUnavailableError,
    onFailure: ({ error: err, isTransient, ...failure }) => {
      metrics.workerFailures.inc({ worker: failure.worker })
      if (isTransient) logger.warn({ err, ...failure }, 'worker.waiting')
      else logger.error({ err, ...failure }, 'worker.failed')
    },
    noncriticalWorkers: NONCRITICAL_WORKERS,
    onSuspend: ({ error: err, worker, failures, restartInMs }) => {
      metrics.workerFailures.inc({ worker })
      logger.error({ err, worker, failures, restartInMs }, 'worker.suspended')
    },
    onPermanentFailure: (failure) => {
      const { worker, failures, error: err } = failure
      metrics.workerFailures.inc({ worker })
      logger.fatal({ err, worker, failures }, 'worker.failed_permanently')
      options.onPermanentFailure(failure)
    },
    signal,
  })
}

/** A worker that runs only while this node has a lease. */
export function withLease(worker: Worker, lease: LeaseName, leases: Leases): Worker {
  return {
    name: worker.name,
    run: async (signal) => {
      while (!signal.aborted) {
        await using held = await leases.acquire(lease, signal)
        if (held !== undefined) await worker.run(AbortSignal.any([signal, held.lost]))
      }
    },
  }
}

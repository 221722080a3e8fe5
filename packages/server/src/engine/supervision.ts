import { BackendUnavailable } from '../backend/backend.ts'
import type { LeaseName, Leases } from '../backend/leases.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/time/clock.ts'
import { Supervisor, type WorkerGivenUp } from '../util/workers/supervisor.ts'
import type { Worker } from '../util/workers/worker.ts'

export interface SupervisionOptions {
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  /** A worker failed five times within a minute. The process should end. */
  readonly onGiveUp: (failure: WorkerGivenUp) => void
}

/** A supervisor that logs and counts the failures of workers. They end when `signal` aborts. */
export function openSupervisor(options: SupervisionOptions, signal: AbortSignal): Supervisor {
  const { clock, metrics, logger } = options
  return new Supervisor({
    clock,
    isTransient: (error) => error instanceof BackendUnavailable,
    onFailure: ({ error: err, isTransient, ...failure }) => {
      metrics.workerFailures.inc({ worker: failure.worker })
      if (isTransient) logger.warn({ err, ...failure }, 'worker.waiting')
      else logger.error({ err, ...failure }, 'worker.failed')
    },
    onGiveUp: (failure) => {
      const { worker, failures, error: err } = failure
      metrics.workerFailures.inc({ worker })
      logger.fatal({ err, worker, failures }, 'worker.given_up')
      options.onGiveUp(failure)
    },
    signal,
  })
}

/** A worker that works only while this node has a lease, and waits for it otherwise. */
export class LeasedWorker implements Worker {
  readonly name: string
  readonly #worker: Worker
  readonly #lease: LeaseName
  readonly #leases: Leases

  constructor(worker: Worker, lease: LeaseName, leases: Leases) {
    this.name = worker.name
    this.#worker = worker
    this.#lease = lease
    this.#leases = leases
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await using lease = await this.#leases.acquire(this.#lease, signal)
      if (lease !== undefined) await this.#worker.run(AbortSignal.any([signal, lease.lost]))
    }
  }
}

import { BackendUnavailable } from '../backend/backend.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/time/clock.ts'
import { Supervisor, type WorkerGivenUp } from '../util/workers/supervisor.ts'
import type { Worker } from '../util/workers/worker.ts'

export interface ThreadSupervisorOptions {
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'threadFailures'>
  readonly logger: Logger
  /** A thread failed five times within a minute. The process should end. */
  readonly onGiveUp: (failure: WorkerGivenUp) => void
}

/** So that a thread that ends four times in a row, of which each start takes its time, is back within two seconds. */
const FIRST_RESTART_MS = 200

/**
 * Runs threads, and restarts one that ended, by the rule of `Supervisor`: at once after its first failure, so that what it
 * did goes on within two seconds. Disposing of it stops all of them.
 */
export class ThreadSupervisor implements AsyncDisposable {
  readonly #stopping = new AbortController()
  readonly #supervisor: Supervisor

  constructor({ clock, metrics, logger, onGiveUp }: ThreadSupervisorOptions) {
    this.#supervisor = new Supervisor({
      clock,
      restartsAtOnce: true,
      firstRestartMs: FIRST_RESTART_MS,
      isTransient: (error) => error instanceof BackendUnavailable,
      onFailure: ({ worker: thread, error: err, failures, restartInMs }) => {
        metrics.threadFailures.inc({ thread })
        logger.error({ err, thread, failures, restartInMs }, 'thread.failed')
      },
      onGiveUp: (failure) => {
        const { worker: thread, error: err, failures } = failure
        metrics.threadFailures.inc({ thread })
        logger.fatal({ err, thread, failures }, 'thread.given_up')
        onGiveUp(failure)
      },
      signal: this.#stopping.signal,
    })
  }

  /** Starts a thread: a `ThreadHost`. */
  run(thread: Worker): void {
    this.#supervisor.run(thread)
  }

  /** The last error of each failing thread, by its name, until it has run for ten seconds. For the readiness check. */
  get failing(): ReadonlyMap<string, string> {
    return this.#supervisor.failing
  }

  /** Stops all threads, each at the latest after its `stopTimeoutMs`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#supervisor.ended()
  }
}

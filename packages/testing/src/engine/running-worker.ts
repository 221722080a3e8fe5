import { NONCRITICAL_WORKERS } from '../../../server/src/engine/supervision.ts'
import { type Clock, systemClock } from '../../../server/src/util/time/clock.ts'
import {
  Supervisor,
  type WorkerFailure,
  type FailedWorker,
} from '../../../server/src/util/workers/supervisor.ts'
import type { Worker } from '../../../server/src/util/workers/worker.ts'

export class RunningWorker implements AsyncDisposable {
  readonly failures: WorkerFailure[] = []
  readonly failedPermanently: FailedWorker[] = []
  readonly suspended: WorkerFailure[] = []
  readonly supervisor: Supervisor
  readonly #stopping = new AbortController()

  constructor(
    worker: Worker,
    clock: Clock = systemClock,
    isTransient: (error: unknown) => boolean = () => false,
  ) {
    this.supervisor = new Supervisor({
      clock,
      isTransient,
      onFailure: (failure) => this.failures.push(failure),
      onPermanentFailure: (failure) => this.failedPermanently.push(failure),
      noncriticalWorkers: NONCRITICAL_WORKERS,
      onSuspend: (failure) => this.suspended.push(failure),
      signal: this.#stopping.signal,
    })
    this.supervisor.run(worker)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.supervisor.ended()
  }
}

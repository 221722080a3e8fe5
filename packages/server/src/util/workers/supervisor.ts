import { exponentialBackoffMs, sleep } from '../time/sleep.ts'
import type { Clock } from '../time/clock.ts'
import type { Worker } from './worker.ts'

/** A worker failed too often and is not restarted. */
export interface FailedWorker {
  readonly worker: string
  readonly error: unknown
  readonly failures: number
}

/** A worker failed and is restarted in `restartInMs`. */
export interface WorkerFailure extends FailedWorker {
  readonly isTransient: boolean
  readonly restartInMs: number
}

export interface SupervisorOptions {
  readonly clock: Clock
  /** Whether the failure does not count, because the backend is unavailable. */
  readonly isTransient: (error: unknown) => boolean
  readonly onFailure: (failure: WorkerFailure) => void
  readonly onPermanentFailure: (failure: FailedWorker) => void
  /** Names of non-critical workers, which are suspended instead of failing the process. */
  readonly noncriticalWorkers?: ReadonlySet<string>
  /** Called instead of `onPermanentFailure` when a non-critical worker is suspended. */
  readonly onSuspend?: (failure: WorkerFailure) => void
  /** The pause before the first restart, which then doubles. Defaults to one second. */
  readonly firstRestartMs?: number
  /** Whether the first restart has no pause. */
  readonly restartsImmediately?: boolean
  readonly signal: AbortSignal
}

/** The number of failures within a minute after which a worker is abandoned or, if it is non-critical, suspended. */
const MAX_FAILURES = 5
const WINDOW_MS = 60_000
const FIRST_RESTART_MS = 1_000
const REST_MS = 10 * 60_000
/** After this long without a failure, a worker has recovered. */
const STABLE_MS = 10_000

/**
 * Runs workers and restarts them after failures:
 *
 *     running ─ rejects ─▶ waiting ─ 1 s, 2 s, 4 s … ─▶ running, again ─ 10 s without a failure ─▶ running
 *                  └─ fifth failure within a minute ─▶ failed; a non-critical one is suspended for ten minutes, then runs again
 *
 * Transient failures do not count.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #failing = new Map<string, string>()
  readonly #running: Promise<void>[] = []

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  run(worker: Worker): void {
    this.#running.push(this.#runRepeatedly(worker))
  }

  /** The last error by worker: from a failure until it has recovered, or forever once it is abandoned. */
  get failing(): ReadonlyMap<string, string> {
    return this.#failing
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #runRepeatedly(worker: Worker): Promise<void> {
    const { clock, signal, isTransient } = this.#options
    let counted: readonly number[] = []
    for (let inARow = 1; !signal.aborted; inARow++) {
      const startedAt = clock.now()
      const error = await this.#runOnce(worker)
      if (signal.aborted) return
      this.#failing.set(worker.name, this.#reasonOf(error))
      const now = clock.now()
      if (now - startedAt >= STABLE_MS) inARow = 1
      counted = counted.filter((at) => now - at < WINDOW_MS)
      if (!isTransient(error)) counted = [...counted, now]
      const failure = { worker: worker.name, error, failures: counted.length }
      if (counted.length < MAX_FAILURES) {
        await this.#waitForRestart(failure, inARow)
        continue
      }
      if (!this.#options.noncriticalWorkers?.has(worker.name))
        return this.#options.onPermanentFailure(failure)
      this.#options.onSuspend?.({ ...failure, isTransient: false, restartInMs: REST_MS })
      await sleep(clock, REST_MS, signal)
      counted = []
      inARow = 0
    }
  }

  /** Resolves to the error that ended the worker. */
  async #runOnce(worker: Worker): Promise<unknown> {
    const { clock, signal } = this.#options
    const onRecovered = (): void => void this.#failing.delete(worker.name)
    const cancel = this.#failing.has(worker.name) ? clock.after(STABLE_MS, onRecovered) : undefined
    try {
      await worker.run(signal)
      return new Error('The worker stopped unexpectedly.')
    } catch (error) {
      return error
    } finally {
      cancel?.()
    }
  }

  async #waitForRestart(failure: FailedWorker, inARow: number): Promise<void> {
    const { clock, signal, isTransient, onFailure, restartsImmediately } = this.#options
    const { firstRestartMs = FIRST_RESTART_MS } = this.#options
    const pauses = restartsImmediately ? inARow - 1 : inARow
    const restartInMs = pauses === 0 ? 0 : Math.round(exponentialBackoffMs(pauses, firstRestartMs))
    onFailure({ ...failure, isTransient: isTransient(failure.error), restartInMs })
    await sleep(clock, restartInMs, signal)
  }

  #reasonOf(error: unknown): string {
    if (!(error instanceof Error)) return typeof error
    // The message of an unexpected error may contain a secret.
    return this.#options.isTransient(error) ? error.message : error.name
  }
}

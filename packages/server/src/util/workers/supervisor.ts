import { exponentialBackoffMs, pause } from '../time/pause.ts'
import type { Clock } from '../time/clock.ts'
import type { Worker } from './worker.ts'

/** A worker failed too often. It is not restarted. */
export interface WorkerGivenUp {
  readonly worker: string
  /** The last error. */
  readonly error: unknown
  /** The number of failures within the last minute. */
  readonly failures: number
}

/** A worker failed, and is restarted in `restartInMs`. */
export interface WorkerFailure extends WorkerGivenUp {
  readonly isTransient: boolean
  readonly restartInMs: number
}

export interface SupervisorOptions {
  readonly clock: Clock
  /** Whether a worker waits for the end of this failure, however often it happens: the backend is unavailable. */
  readonly isTransient: (error: unknown) => boolean
  readonly onFailure: (failure: WorkerFailure) => void
  readonly onGiveUp: (failure: WorkerGivenUp) => void
  /** Workers that rest instead of being given up, by name: nothing that the process exists for waits for them. */
  readonly sideWorkers?: ReadonlySet<string>
  /** Called instead of `onGiveUp` when a side worker begins to rest. */
  readonly onSuspend?: (failure: WorkerFailure) => void
  /** The first pause before a restart; later ones double it. Defaults to one second. */
  readonly firstRestartMs?: number
  /** Whether a worker that fails for the first time is restarted without a pause. */
  readonly restartsAtOnce?: boolean
  /** Aborts to end all workers. */
  readonly signal: AbortSignal
}

/** A worker that fails this often within a minute is given up. */
const MOST_FAILURES = 5
const WINDOW_MS = 60_000
const FIRST_RESTART_MS = 1_000
/** How long a side worker rests that has failed too often. */
const REST_MS = 10 * 60_000
/** A worker that has run this long without a failure has recovered. */
const STABLE_MS = 10_000

/**
 * Runs workers, and restarts a worker that failed, after a growing pause:
 *
 *     running ─ rejects ─▶ waiting ─ 1 s, 2 s, 4 s … ─▶ running, again ─ 10 s without a failure ─▶ running
 *                  └─ fifth failure within a minute ─▶ given up; a side worker rests for ten minutes, then runs again
 *
 * A transient failure does not count towards the five. A worker is in `failing` from a failure until it has run for ten
 * seconds, and permanently once it is given up.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #failing = new Map<string, string>()
  readonly #running: Promise<void>[] = []

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Starts a worker. */
  run(worker: Worker): void {
    this.#running.push(this.#runRepeatedly(worker))
  }

  /** The last error of each failing worker, by its name. Empty while no worker fails. */
  get failing(): ReadonlyMap<string, string> {
    return this.#failing
  }

  /** Resolves when all workers have ended, which they do after the signal aborts. */
  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #runRepeatedly(worker: Worker): Promise<void> {
    const { clock, signal, isTransient } = this.#options
    let counted: readonly number[] = []
    for (let inARow = 1; !signal.aborted; inARow++) {
      const startedAt = clock.now()
      const error = await this.#runOnce(worker)
      if (error === undefined) return
      const now = clock.now()
      if (now - startedAt >= STABLE_MS) inARow = 1
      // Times ahead of `now` are from before the clock was set back.
      counted = counted.filter((at) => Math.abs(now - at) < WINDOW_MS)
      if (!isTransient(error.value)) counted = [...counted, now]
      const failure = { worker: worker.name, error: error.value, failures: counted.length }
      if (counted.length < MOST_FAILURES) {
        await this.#waitForRestart(failure, inARow)
        continue
      }
      if (!this.#options.sideWorkers?.has(worker.name)) return this.#giveUp(failure)
      await this.#rest(failure)
      counted = []
      inARow = 0
    }
  }

  /** The error that the worker rejected with; `undefined` if it ended because of the signal. */
  async #runOnce(worker: Worker): Promise<{ readonly value: unknown } | undefined> {
    const { clock, signal } = this.#options
    const onRecovered = (): void => void this.#failing.delete(worker.name)
    const cancel = this.#failing.has(worker.name) ? clock.after(STABLE_MS, onRecovered) : undefined
    try {
      await worker.run(signal)
      if (signal.aborted) return undefined
      throw new Error('It ended by itself.')
    } catch (error) {
      return { value: error }
    } finally {
      cancel?.()
    }
  }

  async #waitForRestart(failure: WorkerGivenUp, inARow: number): Promise<void> {
    const { clock, signal, isTransient, onFailure, restartsAtOnce } = this.#options
    const { firstRestartMs = FIRST_RESTART_MS } = this.#options
    if (signal.aborted) return
    const { worker, error } = failure
    this.#failing.set(worker, this.#reasonOf(error))
    const pauses = restartsAtOnce ? inARow - 1 : inARow
    const restartInMs = pauses === 0 ? 0 : Math.round(exponentialBackoffMs(pauses, firstRestartMs))
    onFailure({ ...failure, isTransient: isTransient(error), restartInMs })
    await pause(clock, restartInMs, signal)
  }

  async #rest(failure: WorkerGivenUp): Promise<void> {
    const { clock, signal, onSuspend } = this.#options
    if (signal.aborted) return
    this.#failing.set(failure.worker, this.#reasonOf(failure.error))
    onSuspend?.({ ...failure, isTransient: false, restartInMs: REST_MS })
    await pause(clock, REST_MS, signal)
  }

  #giveUp(failure: WorkerGivenUp): void {
    this.#failing.set(failure.worker, this.#reasonOf(failure.error))
    this.#options.onGiveUp(failure)
  }

  #reasonOf(error: unknown): string {
    if (!(error instanceof Error)) return typeof error
    // The message of an unexpected error may contain a secret.
    return this.#options.isTransient(error) ? error.message : error.name
  }
}

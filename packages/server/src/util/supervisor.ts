import { exponentialBackoffMs, pause } from './pause.ts'
import type { Clock } from './clock.ts'
import type { Worker } from './worker.ts'

/** A worker failed too often. It is not started again. */
export interface WorkerGivenUp {
  readonly worker: string
  /** What it failed with last. */
  readonly error: unknown
  /** Failures within the last minute. */
  readonly failures: number
}

/** A worker failed, and starts again in `restartInMs`. */
export interface WorkerFailure extends WorkerGivenUp {
  readonly isTransient: boolean
  readonly restartInMs: number
}

export interface SupervisorOptions {
  readonly clock: Clock
  /** Whether the failure is one that a worker only waits out, however often it comes: an engine that is away. */
  readonly isTransient: (error: unknown) => boolean
  readonly onFailure: (failure: WorkerFailure) => void
  readonly onGiveUp: (failure: WorkerGivenUp) => void
  /** Aborts to end all workers. */
  readonly signal: AbortSignal
}

/** So many failures of one worker within a minute are no accident. */
const MOST_FAILURES = 5
const WINDOW_MS = 60_000
const FIRST_RESTART_MS = 1_000
/** A worker that has run for so long without a failure is well again. */
const STABLE_MS = 10_000

/**
 * Runs workers and starts those that fail again, after a growing pause. One worker:
 *
 *     running ─ rejects ─▶ waiting ─ 1 s, 2 s, 4 s … ─▶ running, again ─ 10 s without a failure ─▶ running
 *                  └─ fifth failure within a minute ─▶ given up
 *
 * A transient failure does not count towards the five. From a failure until the ten seconds are over, and for good once
 * it is given up, a worker is listed in `failing`.
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
    this.#running.push(this.#runAgainAndAgain(worker))
  }

  /** What each failing worker failed with last, by its name. Empty where all is well. */
  get failing(): ReadonlyMap<string, string> {
    return this.#failing
  }

  /** Resolves when all workers have ended. They end after the signal aborts. */
  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #runAgainAndAgain(worker: Worker): Promise<void> {
    const { clock, signal, isTransient } = this.#options
    let counted: readonly number[] = []
    for (let inARow = 1; !signal.aborted; inARow++) {
      const startedAt = clock.now()
      const error = await this.#runOnce(worker)
      if (error === undefined) return
      const now = clock.now()
      if (now - startedAt >= STABLE_MS) inARow = 1
      counted = counted.filter((at) => now - at < WINDOW_MS)
      if (!isTransient(error.value)) counted = [...counted, now]
      const failure = { worker: worker.name, error: error.value, failures: counted.length }
      if (counted.length >= MOST_FAILURES) return this.#giveUp(failure)
      await this.#waitForRestart(failure, inARow)
    }
  }

  /** What it rejected with; `undefined` where the signal ended it. */
  async #runOnce(worker: Worker): Promise<{ readonly value: unknown } | undefined> {
    const { clock, signal } = this.#options
    const isWell = (): void => void this.#failing.delete(worker.name)
    const cancel = this.#failing.has(worker.name) ? clock.after(STABLE_MS, isWell) : undefined
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
    const { clock, signal, isTransient, onFailure } = this.#options
    if (signal.aborted) return
    const { worker, error } = failure
    this.#failing.set(worker, this.#reasonOf(error))
    const restartInMs = Math.round(exponentialBackoffMs(inARow, FIRST_RESTART_MS))
    onFailure({ ...failure, isTransient: isTransient(error), restartInMs })
    await pause(clock, restartInMs, signal)
  }

  #giveUp(failure: WorkerGivenUp): void {
    this.#failing.set(failure.worker, this.#reasonOf(failure.error))
    this.#options.onGiveUp(failure)
  }

  #reasonOf(error: unknown): string {
    if (!(error instanceof Error)) return typeof error
    // The message of an unforeseen error may quote what no one should see.
    return this.#options.isTransient(error) ? error.message : error.name
  }
}

import { BackendUnavailableError } from '../../../../packages/server/src/backend/backend.ts'
import type { Clock } from '../../../../packages/server/src/util/time/clock.ts'

interface WaitingCall {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

export interface CommitterOptions {
  readonly clock: Clock
  /** The delay until a commit is durable, and then until its callers continue. */
  readonly delayMs: () => number
  /** Whether the backend is unavailable. If so, every call rejects without changing anything. */
  readonly isUnavailable: () => boolean
}

/**
 * Group commit without a disk. Calls during a commit share the next one, in order. A process that is killed before its commit
 * has changed nothing. If it is killed right after its commit, the state has changed, but its callers never continue.
 */
export class Committer implements AsyncDisposable {
  readonly #options: CommitterOptions
  #waiting: WaitingCall[] = []
  #isCommitting = false
  #onIdle = (): void => undefined

  constructor(options: CommitterOptions) {
    this.#options = options
  }

  /** Runs `work` when the commit becomes durable. Resolves with its result some time later. */
  run<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#waiting.push({ work, resolve, reject })
    if (!this.#isCommitting) this.#begin()
    return promise
  }

  /** Runs `work` immediately. Rejects while the backend is unavailable. */
  async read<T>(work: () => T): Promise<T> {
    if (this.#options.isUnavailable()) throw unavailable()
    return work()
  }

  /** Resolves when all calls have settled. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isCommitting) await new Promise<void>((resolve) => (this.#onIdle = resolve))
  }

  #begin(): void {
    const { clock, delayMs } = this.#options
    this.#isCommitting = true
    clock.after(delayMs(), () => {
      const batch = this.#waiting
      this.#waiting = []
      const settle = this.#commit(batch)
      clock.after(delayMs(), () => {
        settle()
        this.#isCommitting = false
        if (this.#waiting.length > 0) this.#begin()
        else this.#onIdle()
      })
    })
  }

  #commit(batch: readonly WaitingCall[]): () => void {
    if (this.#options.isUnavailable()) {
      return () => batch.forEach(({ reject }) => reject(unavailable()))
    }
    const results = batch.map(({ work }) => work())
    return () => batch.forEach(({ resolve }, index) => resolve(results[index] as never))
  }
}

function unavailable(): BackendUnavailableError {
  return new BackendUnavailableError('Unavailable, as the scenario specifies.')
}

import { BackendUnavailable } from '../../../../packages/server/src/backend/backend.ts'
import type { Clock } from '../../../../packages/server/src/util/clock.ts'

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

export interface CommitterOptions {
  readonly clock: Clock
  /** How long a commit takes until it is durable, and from there until the caller knows. */
  readonly delayMs: () => number
  /** Whether the engine is away: whoever asks is refused, and nothing is done. */
  readonly isAway: () => boolean
}

/**
 * Group commit without a disk: what is asked for while a commit is under way goes into the next one,
 * whole, in the order of asking. A process that is killed before its commit has changed nothing; one
 * killed right after it never learns that it has.
 */
export class Committer implements AsyncDisposable {
  readonly #options: CommitterOptions
  #waiting: Waiting[] = []
  #isCommitting = false
  #onIdle = (): void => undefined

  constructor(options: CommitterOptions) {
    this.#options = options
  }

  /** Does the work when it becomes durable, and resolves with its result some time after. */
  run<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#waiting.push({ work, resolve, reject })
    if (!this.#isCommitting) this.#begin()
    return promise
  }

  /** What reads find; refused, too, while the engine is away. */
  async read<T>(work: () => T): Promise<T> {
    if (this.#options.isAway()) throw away()
    return work()
  }

  /** Resolves when everything that was asked for is answered. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isCommitting) await new Promise<void>((resolve) => (this.#onIdle = resolve))
  }

  #begin(): void {
    const { clock, delayMs } = this.#options
    this.#isCommitting = true
    clock.after(delayMs(), () => {
      const batch = this.#waiting
      this.#waiting = []
      const answer = this.#commit(batch)
      clock.after(delayMs(), () => {
        answer()
        this.#isCommitting = false
        if (this.#waiting.length > 0) this.#begin()
        else this.#onIdle()
      })
    })
  }

  #commit(batch: readonly Waiting[]): () => void {
    if (this.#options.isAway()) {
      return () => batch.forEach(({ reject }) => reject(away()))
    }
    const results = batch.map(({ work }) => work())
    return () => batch.forEach(({ resolve }, index) => resolve(results[index] as never))
  }
}

function away(): BackendUnavailable {
  return new BackendUnavailable('Away, as the scenario has it.')
}

import type { ProcessClock } from '../environment/process-clock.ts'
import type { Committer } from './committer.ts'

/**
 * The committer for one thread. Because the writer outlives threads, writes posted before a thread exits are committed, but
 * their callers never continue.
 */
export class ThreadCommitter implements Pick<Committer, 'run' | 'read'> {
  /** Resolves when the thread has exited and all its writes have settled. */
  readonly gone: Promise<void>
  readonly #committer: Committer
  readonly #posted = new Set<Promise<unknown>>()
  readonly #ended = Promise.withResolvers<void>()
  #clock: ProcessClock | undefined

  constructor(committer: Committer) {
    this.#committer = committer
    this.gone = this.#ended.promise.then(() => this.settled())
  }

  /** @param clock the clock of the thread */
  join(clock: ProcessClock): void {
    this.#clock = clock
  }

  run<T>(work: () => T): Promise<T> {
    return this.#whileAlive(() => {
      const posted = this.#committer.run(work)
      this.#posted.add(posted)
      const isSettled = (): void => void this.#posted.delete(posted)
      posted.then(isSettled, isSettled)
      return posted
    })
  }

  read<T>(work: () => T): Promise<T> {
    return this.#whileAlive(() => this.#committer.read(work))
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#posted)
  }

  /** Called when the thread has exited. */
  end(): void {
    this.#ended.resolve()
  }

  /** Does nothing, and never settles, if the thread has exited. */
  #whileAlive<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const isAlive = (): boolean => this.#clock?.isAlive === true
    if (isAlive())
      work().then(
        (value) => isAlive() && resolve(value),
        (error: Error) => isAlive() && reject(error),
      )
    return promise
  }
}

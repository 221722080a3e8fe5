import { ThreadGone } from './channel.ts'

/**
 * Changes of the state that a thread has a copy of. Each resolves when the thread has applied it. A thread that is not ready
 * gets the changes since it was started when it is: it may have read the state before or after them, so applying a change
 * twice must be safe. Where a thread has ended, a change resolves when the thread leaves nothing behind that comes after it.
 */
export class ThreadChanges<Change> {
  readonly #apply: (change: Change) => Promise<unknown> | undefined
  readonly #gone: () => Promise<unknown>
  #missed: Change[] = []

  /**
   * @param apply makes the thread apply a change; `undefined` while no thread is ready
   * @param gone resolves when what the last thread that was ready had posted is done; by default at once
   */
  constructor(
    apply: (change: Change) => Promise<unknown> | undefined,
    gone: () => Promise<unknown> = () => Promise.resolve(),
  ) {
    this.#apply = apply
    this.#gone = gone
  }

  /** A thread is started, which will read the state. */
  onStart(): void {
    this.#missed = []
  }

  /** The thread is ready. What is sent to it after this, it does with all changes applied. */
  onReady(): void {
    const missed = this.#missed
    this.#missed = []
    for (const change of missed) void this.apply(change)
  }

  async apply(change: Change): Promise<void> {
    const applied = this.#apply(change)
    if (applied === undefined) {
      this.#missed.push(change)
      await this.#gone()
    } else await applied.catch((error: unknown) => this.#onError(error))
  }

  /** A thread that ends meanwhile reads the state when it is started again. */
  async #onError(error: unknown): Promise<void> {
    if (error instanceof ThreadGone) await this.#gone()
  }
}

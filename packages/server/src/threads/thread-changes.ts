/**
 * Changes of the state that a thread has a copy of. Each resolves when the thread has applied it. A thread that is not ready
 * gets the changes since it was started when it is: it may have read the state before or after them, so applying a change
 * twice must be safe.
 */
export class ThreadChanges<Change> {
  readonly #apply: (change: Change) => Promise<unknown> | undefined
  #missed: Change[] = []

  /** @param apply makes the thread apply a change; `undefined` while no thread is ready */
  constructor(apply: (change: Change) => Promise<unknown> | undefined) {
    this.#apply = apply
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
    if (applied === undefined) this.#missed.push(change)
    // A thread that ends meanwhile reads the state when it is started again.
    else await applied.catch(() => undefined)
  }
}

/**
 * Runs tasks one after the other. A key must be unique and conditions must have no cycle, and both need more than one
 * record: so two changes must not check at the same time.
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs the task when those before it have ended, and resolves as it does. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}

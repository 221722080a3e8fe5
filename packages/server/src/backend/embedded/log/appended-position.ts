interface Waiting {
  readonly position: number
  readonly wake: () => void
}

/** How far the log reaches, for those who wait for more. */
export class AppendedPosition {
  readonly #waiting = new Set<Waiting>()
  #last: number

  constructor(last: number) {
    this.#last = last
  }

  /** Everything up to here is either committed or will never be. */
  get last(): number {
    return this.#last
  }

  moveTo(last: number): void {
    this.#last = last
    for (const { position, wake } of this.#waiting) if (position < last) wake()
  }

  /** Resolves when the log reaches beyond the position, or `signal` aborts. */
  async beyond(position: number, signal: AbortSignal): Promise<void> {
    if (position < this.#last || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    const waiting = { position, wake }
    this.#waiting.add(waiting)
    signal.addEventListener('abort', wake, { once: true })
    await promise
    this.#waiting.delete(waiting)
    signal.removeEventListener('abort', wake)
  }
}

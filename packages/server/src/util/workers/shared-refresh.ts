/** Runs refreshes one at a time. Waiting calls share the next one, which sees everything committed before them. */
export class SharedRefresh {
  readonly #refresh: () => Promise<void>
  #last: Promise<unknown> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(refresh: () => Promise<void>) {
    this.#refresh = refresh
  }

  run(): Promise<void> {
    if (this.#next !== undefined) return this.#next
    const next = this.#last.then(() => {
      this.#next = undefined
      return this.#refresh()
    })
    this.#next = next
    this.#last = next.catch(() => undefined)
    return next
  }
}

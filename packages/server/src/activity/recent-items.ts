/** The newest items, numbered, for readers that follow them. */
export class RecentItems<T> {
  readonly #limit: number
  /** Item n is at index n % limit. */
  readonly #items: T[] = []
  readonly #listeners = new Set<() => void>()
  #next = 1
  #oldest = 1

  constructor(limit: number) {
    this.#limit = limit
  }

  get next(): number {
    return this.#next
  }

  /** Number of the oldest item; `next` if empty. */
  get oldest(): number {
    return this.#oldest
  }

  add(item: T): void {
    this.#items[this.#next % this.#limit] = item
    this.#next += 1
    this.#oldest = Math.max(this.#oldest, this.#next - this.#limit)
    for (const listener of this.#listeners) listener()
  }

  at(number: number): T {
    return this.#items[number % this.#limit] as T
  }

  replace(number: number, item: T): void {
    this.#items[number % this.#limit] = item
  }

  /** Removes all items, and skips a number so that every reader sees a gap. */
  clear(): void {
    this.#items.length = 0
    this.#next += 1
    this.#oldest = this.#next
  }

  /** Calls `listener` after each item. Returns a function that removes the listener. */
  follow(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** Numbered items, for readers that follow them. Only the newest are kept. */
export class RecentItems<T> {
  readonly #limit: number
  /** The item with the number n is at the index n % limit. */
  readonly #items: T[] = []
  readonly #listeners = new Set<() => void>()
  #next = 1
  #oldest = 1

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The number of the next item. */
  get next(): number {
    return this.#next
  }

  /** The number of the oldest item that is kept; `next` if none is. */
  get oldest(): number {
    return this.#oldest
  }

  add(item: T): void {
    this.#items[this.#next % this.#limit] = item
    this.#next += 1
    this.#oldest = Math.max(this.#oldest, this.#next - this.#limit)
    for (const listener of this.#listeners) listener()
  }

  /** The item with this number, from `oldest` on. */
  at(number: number): T {
    return this.#items[number % this.#limit] as T
  }

  /** Replaces the item with this number, from `oldest` on. */
  replace(number: number, item: T): void {
    this.#items[number % this.#limit] = item
  }

  /** Removes all items. Skips one number, so that a reader of the last one has missed something. */
  clear(): void {
    this.#items.length = 0
    this.#next += 1
    this.#oldest = this.#next
  }

  /** Calls `listener` after each item. Returns the function that stops it. */
  follow(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

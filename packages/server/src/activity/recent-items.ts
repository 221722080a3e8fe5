/** Numbered items, for readers that follow them. Only the newest are kept. */
export class RecentItems<T> {
  readonly #most: number
  readonly #items: T[] = []
  readonly #listeners = new Set<() => void>()
  #next = 1

  constructor(most: number) {
    this.#most = most
  }

  /** The number of the next item. */
  get next(): number {
    return this.#next
  }

  /** The number of the oldest item that is kept; `next` where none is. */
  get oldest(): number {
    return this.#next - this.#items.length
  }

  add(item: T): void {
    this.#items.push(item)
    if (this.#items.length > this.#most) this.#items.shift()
    this.#next += 1
    for (const listener of this.#listeners) listener()
  }

  /** The item with this number, from `oldest` on. */
  at(number: number): T {
    return this.#items[number - this.oldest]!
  }

  /** Calls `listener` after each item. Returns the function that stops it. */
  follow(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

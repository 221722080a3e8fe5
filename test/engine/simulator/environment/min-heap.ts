/** A binary heap. The first item, by `isBefore`, is at the top. */
export class MinHeap<T> {
  readonly #items: T[] = []
  readonly #isBefore: (a: T, b: T) => boolean

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore
  }

  get top(): T | undefined {
    return this.#items[0]
  }

  add(item: T): void {
    const items = this.#items
    let at = items.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(item, items[parent]!)) break
      items[at] = items[parent]!
      at = parent
    }
    items[at] = item
  }

  take(): T | undefined {
    const top = this.#items[0]
    const last = this.#items.pop()
    if (last !== undefined && this.#items.length > 0) this.#sink(last)
    return top
  }

  /** Inserts an item at the top, and moves it down to its place. */
  #sink(item: T): void {
    const items = this.#items
    let at = 0
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      if (child + 1 < items.length && this.#isBefore(items[child + 1]!, items[child]!)) child++
      if (!this.#isBefore(items[child]!, item)) break
      items[at] = items[child]!
      at = child
    }
    items[at] = item
  }
}

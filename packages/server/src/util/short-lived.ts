/**
 * Collections for entries that live briefly, such as attempts in flight. With a `Map` or `Set` of objects, most of them would
 * survive minor GCs: V8 links each table that a collection outgrows to the next one. One dead table in the old generation
 * keeps alive all later ones, with their former entries, until the next major GC.
 */

/** An entry in a `ShortLivedSet`. */
export interface ShortLivedEntry<T> {
  value: T | undefined
  previous: ShortLivedEntry<T> | undefined
  next: ShortLivedEntry<T> | undefined
}

/** A set of objects in the order of insertion, as a linked list. Removed entries point nowhere. */
export class ShortLivedSet<T> {
  #first: ShortLivedEntry<T> | undefined
  #last: ShortLivedEntry<T> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): ShortLivedEntry<T> | undefined {
    return this.#first
  }

  /** Adds a value. Returns its entry, which `delete` needs. */
  add(value: T): ShortLivedEntry<T> {
    const entry: ShortLivedEntry<T> = { value, previous: this.#last, next: undefined }
    if (this.#last === undefined) this.#first = entry
    else this.#last.next = entry
    this.#last = entry
    this.#size++
    return entry
  }

  /** Returns false if it was deleted before. */
  delete(entry: ShortLivedEntry<T>): boolean {
    if (entry.value === undefined) return false
    const { previous, next } = entry
    if (previous === undefined) this.#first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    entry.value = entry.previous = entry.next = undefined
    this.#size--
    return true
  }

  values(): T[] {
    const values: T[] = []
    for (let entry = this.#first; entry !== undefined; entry = entry.next) values.push(entry.value!)
    return values
  }
}

/** A map of objects by a string or number. Tables that it has outgrown contain no deleted values. */
export class ShortLivedMap<K extends string | number, V> {
  readonly #holders = new Map<K, { value: V | undefined }>()

  get size(): number {
    return this.#holders.size
  }

  get(key: K): V | undefined {
    return this.#holders.get(key)?.value
  }

  /** Adds a value under a new key. */
  add(key: K, value: V): void {
    this.#holders.set(key, { value })
  }

  delete(key: K): boolean {
    const holder = this.#holders.get(key)
    if (holder === undefined) return false
    holder.value = undefined
    return this.#holders.delete(key)
  }

  values(): V[] {
    return [...this.#holders.values()].map(({ value }) => value!)
  }

  clear(): void {
    this.#holders.clear()
  }
}

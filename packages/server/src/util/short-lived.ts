/**
 * Collections for entries that live briefly, such as attempts in flight. With a `Map` or `Set` of objects, most of them would
 * survive young collections: V8 links each table that a collection outgrows to the next one. One dead table in the old generation
 * keeps alive all later ones, with their former entries, until the next full collection.
 */

/** A place in a `ShortLivedSet`. */
export interface Place<T> {
  value: T | undefined
  previous: Place<T> | undefined
  next: Place<T> | undefined
}

/** A set of objects in the order of insertion, as a linked list. Removed places point nowhere. */
export class ShortLivedSet<T> {
  #first: Place<T> | undefined
  #last: Place<T> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): Place<T> | undefined {
    return this.#first
  }

  /** Adds a value. Returns its place, which `delete` needs. */
  add(value: T): Place<T> {
    const place: Place<T> = { value, previous: this.#last, next: undefined }
    if (this.#last === undefined) this.#first = place
    else this.#last.next = place
    this.#last = place
    this.#size++
    return place
  }

  /** Returns false if it was deleted before. */
  delete(place: Place<T>): boolean {
    if (place.value === undefined) return false
    const { previous, next } = place
    if (previous === undefined) this.#first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    place.value = place.previous = place.next = undefined
    this.#size--
    return true
  }

  values(): T[] {
    const values: T[] = []
    for (let place = this.#first; place !== undefined; place = place.next) values.push(place.value!)
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

/** A map with pairs of strings as keys. Nested, because joining strings for each lookup is slow. */
export class PairMap<V> {
  readonly #byFirst = new Map<string, Map<string, V>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(first: string, second: string): V | undefined {
    return this.#byFirst.get(first)?.get(second)
  }

  set(first: string, second: string, value: V): void {
    let values = this.#byFirst.get(first)
    if (values === undefined) this.#byFirst.set(first, (values = new Map()))
    if (!values.has(second)) this.#size++
    values.set(second, value)
  }

  delete(first: string, second: string): void {
    const values = this.#byFirst.get(first)
    if (!values?.delete(second)) return
    this.#size--
    if (values.size === 0) this.#byFirst.delete(first)
  }

  *values(): Generator<V> {
    for (const values of this.#byFirst.values()) yield* values.values()
  }
}

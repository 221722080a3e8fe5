/** A statement that was run so many times is prepared: most others are run once, with conditions of their own. */
const OFTEN = 4
/** Each is kept by every connection, so there are not many of them. */
const MOST_PREPARED = 100
/** Texts whose runs are counted. */
const MOST_COUNTED = 500

/** Names for the statements that are run again and again, so that PostgreSQL parses each once for a connection. */
export class PreparedStatements {
  readonly #names = new Map<string, string>()
  readonly #runs = new Map<string, number>()

  /** The name of the statement; `undefined` where it is not prepared. */
  nameOf(text: string): string | undefined {
    const name = this.#names.get(text)
    if (name !== undefined || this.#names.size === MOST_PREPARED) return name
    const runs = (this.#runs.get(text) ?? 0) + 1
    this.#runs.delete(text)
    if (runs === OFTEN) {
      this.#names.set(text, `hookline_${this.#names.size}`)
      return this.#names.get(text)
    }
    this.#runs.set(text, runs)
    if (this.#runs.size > MOST_COUNTED) this.#runs.delete(this.#runs.keys().next().value!)
    return undefined
  }
}

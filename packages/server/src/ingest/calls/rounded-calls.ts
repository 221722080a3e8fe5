import {
  callsWithRoundedNumbers,
  mayRoundToZero,
  type RoundedNumbers,
  roundedNumbers,
} from '@hookline/protocol'

/**
 * The calls of a request with numbers that JavaScript rounds. Each search reads the whole text, so it runs once for all
 * calls, and not at all for most requests.
 */
export class RoundedCalls {
  readonly #text: string
  readonly #isBatch: boolean
  #mayBeZero: boolean | undefined
  #found: RoundedNumbers | undefined
  #places: Pick<ReadonlySet<number>, 'has'> | undefined

  /** @param text the JSON of the request */
  constructor(text: string, { isBatch }: { readonly isBatch: boolean }) {
    this.#text = text
    this.#isBatch = isBatch
  }

  /** Whether a number of the request may have become 0. */
  get mayBeZero(): boolean {
    return (this.#mayBeZero ??= mayRoundToZero(this.#text))
  }

  /**
   * Whether the call at this place has such a number.
   * @param contains whether a number of the call, as JavaScript has it, matches
   */
  has(index: number, contains: (matches: (number: number) => boolean) => boolean): boolean {
    this.#found ??= roundedNumbers(this.#text)
    const { values, isAmbiguous } = this.#found
    if (!contains((number) => values.has(number))) return false
    if (!isAmbiguous) return true
    this.#places ??= callsWithRoundedNumbers(this.#text, { isBatch: this.#isBatch })
    return this.#places.has(index)
  }
}

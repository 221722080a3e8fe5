/** Keys that fit into one filter. */
export const KEYS_PER_FILTER = 8192

/** Bits for each key, and how many of them it sets. A filter reports one in 170,000 keys that were never added. */
const BITS_PER_KEY = 32
const PROBES = 8
const POSITIONS = KEYS_PER_FILTER * BITS_PER_KEY
/** Filters that share their words: each has one bit of every 32-bit word. */
const GROUP = 32

/**
 * Numbered Bloom filters (doi.org/10.1145/362686.362692). One look-up finds every filter that may have a key: all that
 * have it, and seldom another one. 4 bytes of memory for each key.
 *
 * The bits are stored by position instead of by filter: a word has the bits of 32 filters at one position. One look-up
 * thus checks 32 filters, and mostly ends after a few words.
 *
 * The result of `bitsOf` is kept in the database: a change of the hash or the sizes needs a migration that removes it.
 */
export class BloomFilters {
  readonly #seed: number
  readonly #groups = new Map<number, Uint32Array>()
  readonly #positions = new Uint32Array(PROBES)

  /** @param seed of the hash, up to 53 bits. It is secret, so that a sender cannot choose keys that collide. */
  constructor(seed: number) {
    this.#seed = seed
  }

  add(filter: number, key: string): void {
    const words = this.#wordsOf(filter)
    const bit = 1 << (filter % GROUP)
    for (const position of this.#hash(key)) words[position]! |= bit
  }

  /** The filters that may have the key, in ascending order. */
  filtersWith(key: string): number[] {
    const filters: number[] = []
    const positions = this.#hash(key)
    for (const [group, words] of this.#groups) {
      let found = 0xffffffff
      for (let probe = 0; probe < PROBES && found !== 0; probe++) {
        found &= words[positions[probe]!]!
      }
      for (let bit = 0; found !== 0; bit++, found >>>= 1) {
        if ((found & 1) === 1) filters.push(group * GROUP + bit)
      }
    }
    return filters.toSorted((a, b) => a - b)
  }

  /** The bits of one filter, to be stored. */
  bitsOf(filter: number): Uint8Array {
    const words = this.#wordsOf(filter)
    const column = filter % GROUP
    const bits = new Uint8Array(POSITIONS / 8)
    for (let position = 0; position < POSITIONS; position++) {
      bits[position >> 3]! |= ((words[position]! >>> column) & 1) << (position & 7)
    }
    return bits
  }

  /** Adds stored bits to a filter. */
  restore(filter: number, bits: Uint8Array): void {
    const words = this.#wordsOf(filter)
    const column = filter % GROUP
    for (let position = 0; position < POSITIONS; position++) {
      words[position]! |= ((bits[position >> 3]! >>> (position & 7)) & 1) << column
    }
  }

  /** Drops filters before this one, except those that share their words with this one or a later one. */
  forgetBefore(filter: number): void {
    for (const group of this.#groups.keys()) {
      if ((group + 1) * GROUP <= filter) this.#groups.delete(group)
    }
  }

  #wordsOf(filter: number): Uint32Array {
    const group = Math.floor(filter / GROUP)
    let words = this.#groups.get(group)
    if (words === undefined) {
      words = new Uint32Array(POSITIONS)
      this.#groups.set(group, words)
    }
    return words
  }

  /** The positions of a key's bits, each another sum of two hashes. The result is valid until the next call. */
  #hash(key: string): Uint32Array {
    let a = this.#seed >>> 0
    let b = Math.floor(this.#seed / 2 ** 32)
    // Keys that are equal in SQLite must be equal here, too: it stores half a surrogate pair as U+FFFD.
    const text = key.toWellFormed()
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      a = Math.imul(a ^ code, 0x01000193)
      b = Math.imul((b << 7) ^ (b >>> 25) ^ code, 0x85ebca6b)
    }
    a = mixed(a)
    b = mixed(b) | 1
    for (let probe = 0; probe < PROBES; probe++) {
      this.#positions[probe] = (a + Math.imul(probe, b)) & (POSITIONS - 1)
    }
    return this.#positions
  }
}

/** The finalizer of MurmurHash3: each bit of the result depends on every bit of the hash. */
function mixed(hash: number): number {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

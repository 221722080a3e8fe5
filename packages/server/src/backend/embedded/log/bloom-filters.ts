/** Keys that one filter is made for. */
export const KEYS_PER_FILTER = 8192

/** Bits for each key, and how many of them it sets: a key that was never added is taken for one once in 170,000 times. */
const BITS_PER_KEY = 32
const PROBES = 8
const POSITIONS = KEYS_PER_FILTER * BITS_PER_KEY
/** Filters that lie together, a bit of a 32-bit word each. */
const GROUP = 32

/**
 * Bloom filters (doi.org/10.1145/362686.362692), numbered, to ask all of them at once which may hold a key: never too
 * few of them, seldom too many. 4 bytes of memory for each key.
 *
 * They are stored by position instead of by filter: a word has the bit at one position of 32 filters. So one look-up
 * asks 32 of them, and most end after a few words.
 *
 * What `bitsOf` gives is kept in the database: to change the hash or the sizes takes a migration that removes it.
 */
export class BloomFilters {
  readonly #seed: number
  readonly #groups = new Map<number, Uint32Array>()
  readonly #positions = new Uint32Array(PROBES)

  /** @param seed of the hash, secret: nobody can choose keys that fall together. Up to 53 bits. */
  constructor(seed: number) {
    this.#seed = seed
  }

  add(filter: number, key: string): void {
    const words = this.#wordsOf(filter)
    const bit = 1 << (filter % GROUP)
    for (const position of this.#hash(key)) words[position]! |= bit
  }

  /** In ascending order. */
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

  /** One filter, to be kept. */
  bitsOf(filter: number): Uint8Array {
    const words = this.#wordsOf(filter)
    const column = filter % GROUP
    const bits = new Uint8Array(POSITIONS / 8)
    for (let position = 0; position < POSITIONS; position++) {
      bits[position >> 3]! |= ((words[position]! >>> column) & 1) << (position & 7)
    }
    return bits
  }

  /** Adds what was kept. */
  restore(filter: number, bits: Uint8Array): void {
    const words = this.#wordsOf(filter)
    const column = filter % GROUP
    for (let position = 0; position < POSITIONS; position++) {
      words[position]! |= ((bits[position >> 3]! >>> (position & 7)) & 1) << column
    }
  }

  /** Forgets filters before this one, as far as they lie together with none that is still needed. */
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

  /** Where a key has its bits: two hashes, of which each position is another sum. Valid until the next call. */
  #hash(key: string): Uint32Array {
    let a = this.#seed >>> 0
    let b = Math.floor(this.#seed / 2 ** 32)
    // Keys that SQLite takes for the same are the same here, too: it keeps half a surrogate pair as U+FFFD.
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

/** Each bit of the result depends on all of them: the finalizer of MurmurHash3. */
function mixed(hash: number): number {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

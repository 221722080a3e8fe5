export const KEYS_PER_FILTER = 8192

/**
 * The size of a filter in bits per key, and the number of bits that each key sets. Together, they
 * cause one false positive in 170,000 lookups in a full filter.
 */
const BITS_PER_KEY = 32
const PROBES = 8
const POSITIONS = KEYS_PER_FILTER * BITS_PER_KEY
/** The number of filters that share their words: each has one bit of every 32-bit word. */
const GROUP = 32

/**
 * Numbered Bloom filters (doi.org/10.1145/362686.362692). A word has the bits of 32 filters, which one lookup checks. The
 * database stores the result of `bitsOf`: a change to the hash or the sizes needs a migration that removes it.
 */
export class BloomFilters {
  readonly #seed: number
  readonly #groups = new Map<number, Uint32Array>()
  readonly #positions = new Uint32Array(PROBES)

  /** @param seed of the hash, up to 53 bits. Secret, so that senders cannot choose colliding keys. */
  constructor(seed: number) {
    this.#seed = seed
  }

  add(filter: number, key: string): void {
    const words = this.#wordsOf(filter)
    const bit = 1 << (filter % GROUP)
    for (const position of this.#hash(key)) words[position]! |= bit
  }

  filtersWith(key: string): number[] {
    const filters: number[] = []
    const positions = this.#hash(key)
    for (const [group, words] of this.#groups) {
      let matches = 0xffffffff
      for (let probe = 0; probe < PROBES && matches !== 0; probe++) {
        matches &= words[positions[probe]!]!
      }
      for (let bit = 0; matches !== 0; bit++, matches >>>= 1) {
        if ((matches & 1) === 1) filters.push(group * GROUP + bit)
      }
    }
    return filters.toSorted((a, b) => a - b)
  }

  bitsOf(filter: number): Uint8Array {
    const words = this.#wordsOf(filter)
    const column = filter % GROUP
    const bits = new Uint8Array(POSITIONS / 8)
    for (let position = 0; position < POSITIONS; position++) {
      bits[position >> 3]! |= ((words[position]! >>> column) & 1) << (position & 7)
    }
    return bits
  }

  restore(filter: number, bits: Uint8Array): void {
    const words = this.#wordsOf(filter)
    const column = filter % GROUP
    for (let position = 0; position < POSITIONS; position++) {
      words[position]! |= ((bits[position >> 3]! >>> (position & 7)) & 1) << column
    }
  }

  /** Drops filters before this one, unless they share words with later ones. */
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

  /** The bit positions of a key, by double hashing. Valid until the next call. */
  #hash(key: string): Uint32Array {
    let a = this.#seed >>> 0
    let b = Math.floor(this.#seed / 2 ** 32)
    // Keys equal in SQLite must be equal here: it stores lone surrogates as U+FFFD.
    const text = key.toWellFormed()
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      a = Math.imul(a ^ code, 0x01000193)
      b = Math.imul((b << 7) ^ (b >>> 25) ^ code, 0x85ebca6b)
    }
    a = mixBits(a)
    b = mixBits(b) | 1
    for (let probe = 0; probe < PROBES; probe++) {
      this.#positions[probe] = (a + Math.imul(probe, b)) & (POSITIONS - 1)
    }
    return this.#positions
  }
}

function mixBits(hash: number): number {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

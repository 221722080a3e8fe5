/** A checksum of SQLite's write-ahead log, as two signed integers of 32 bits. */
export interface Checksum {
  readonly first: number
  readonly second: number
}

/** One bit of the words that a checksum covers. */
export interface Flip {
  readonly word: number
  readonly bit: number
}

export const NO_CHECKSUM: Checksum = { first: 0, second: 0 }

export function areEqual(a: Checksum, b: Checksum): boolean {
  return a.first === b.first && a.second === b.second
}

/** The checksum after the bytes `from` to `to`, whose number is a multiple of 8. */
export function addBytes(
  before: Checksum,
  view: DataView,
  { from, to, isBigEndian }: { from: number; to: number; isBigEndian: boolean },
): Checksum {
  let { first, second } = before
  for (let at = from; at < to; at += 8) {
    first = (first + view.getInt32(at, !isBigEndian) + second) | 0
    second = (second + view.getInt32(at + 4, !isBigEndian) + first) | 0
  }
  return { first, second }
}

/** The checksum after the words, whose number is even. */
export function addWords(before: Checksum, words: Int32Array): Checksum {
  let { first, second } = before
  for (let at = 0; at < words.length; at += 2) {
    first = (first + words[at]! + second) | 0
    second = (second + words[at + 1]! + first) | 0
  }
  return { first, second }
}

/** The checksum before the words, where the one after them is known: each step of the sum can be undone. */
export function removeWords(after: Checksum, words: Int32Array): Checksum {
  let { first, second } = after
  for (let at = words.length - 2; at >= 0; at -= 2) {
    second = (second - words[at + 1]! - first) | 0
    first = (first - words[at]! - second) | 0
  }
  return { first, second }
}

/** The two words with which the checksum goes from `before` to `after`. There is always exactly one such pair. */
export function wordsBetween(before: Checksum, after: Checksum): [number, number] {
  const word = (after.first - before.first - before.second) | 0
  return [word, (after.second - before.second - after.first) | 0]
}

/**
 * The bits which, flipped back, make the checksum of the words be `after`. A word counts in the sum as often as the
 * Fibonacci number of its distance from the end says. Modulo powers of 2 these numbers repeat after few words, so the
 * upper bits of a word often have several explanations.
 */
export function flipsBetween(before: Checksum, words: Int32Array, after: Checksum): Flip[] {
  const computed = addWords(before, words)
  const first = (after.first - computed.first) | 0
  const second = (after.second - computed.second) | 0
  const bit = 31 - Math.clz32((first | second) & -(first | second))
  if (bit < 0) return []
  const flips: Flip[] = []
  let [weight, next] = [0, 1]
  for (let word = words.length - 1; word >= 0; word--) {
    const change = ((words[word]! >>> bit) & 1) === 1 ? -(1 << bit) : 1 << bit
    if (Math.imul(weight, change) === first && Math.imul(next, change) === second)
      flips.push({ word, bit })
    ;[weight, next] = [next, (weight + next) | 0]
  }
  return flips
}

/** Damage of other bits looks like the flip of an upper bit, but hardly ever like that of a lower one. */
export function isCertain({ bit }: Flip): boolean {
  return bit < 16
}

/** Whether one bit of the 64 is different. */
export function differByOneBit(a: Checksum, b: Checksum): boolean {
  return bitsOf(a.first ^ b.first) + bitsOf(a.second ^ b.second) === 1
}

function bitsOf(word: number): number {
  let count = 0
  for (let rest = word; rest !== 0; rest &= rest - 1) count++
  return count
}

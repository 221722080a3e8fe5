/** The smallest and the largest window whose size is in the first four bits of a stream, in bits (RFC 7932 §9.1). */
const LEAST_BITS = 18
const MOST_BITS = 24
/** A distance is at most the size of the window minus this number (RFC 7932 §9.1). */
const BEYOND_DISTANCES = 16

/**
 * The same stream with the window that an output of `maxBytes` needs, if its own is larger. A decoder fills the window
 * before it gives out the first byte: with the largest one, 203 bytes take 16 MiB of memory and 28 ms, whatever the limit
 * of the output is. Up to the limit the output is the same, because no distance reaches further back than its beginning.
 */
export function withSmallWindow(stream: Buffer, maxBytes: number): Buffer {
  const first = stream[0] ?? 0
  const bits = bitsOf(first)
  const neededBits = Math.max(Math.ceil(Math.log2(maxBytes + BEYOND_DISTANCES)), LEAST_BITS)
  if (bits <= neededBits) return stream
  const copy = Buffer.from(stream)
  copy[0] = (first & 0xf0) | ((neededBits - LEAST_BITS + 1) << 1) | 1
  return copy
}

/** The size of the window, or 0 if it is smaller than LEAST_BITS. */
function bitsOf(first: number): number {
  const size = (first >> 1) & 0b111
  return (first & 1) === 1 && size > 0 ? MOST_BITS - 7 + size : 0
}

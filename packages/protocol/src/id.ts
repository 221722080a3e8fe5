import { BUILT_IN_SOURCE_ID } from './source.ts'

/** The prefix of the ids of each kind of object. */
export type IdPrefix =
  | 'src'
  | 'dst'
  | 'evt'
  | 'msg'
  | 'att'
  | 'tok'
  | 'ses'
  | 'adt'
  | 'rpl'
  | 'del'
  | 'aud'
  | 'trt'
  | 'syn'
  | 'req'

// Crockford's base32 in lower case: the text sorts like the bytes it encodes.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

const randomPool = new Uint8Array(4096)
let randomUsed = randomPool.length

/** Scratch buffer for the bytes after the time: version, variant and random bits. */
const random = new Uint8Array(10)

let lastTime = { ms: 0, text: '0'.repeat(10) }

/** `prefix_` and a UUIDv7 (RFC 9562 §5.7) in base32: 26 characters. Ids sort by `nowMs`. */
export function newId(prefix: IdPrefix, nowMs: number): string {
  if (randomUsed + 10 > randomPool.length) {
    crypto.getRandomValues(randomPool)
    randomUsed = 0
  }
  return idFrom(prefix, nowMs, randomPool.subarray(randomUsed, (randomUsed += 10)))
}

/** Like `newId`, with the first ten bytes of `tail` instead of random bytes. Equal bytes and time give an equal id. */
export function idFrom(prefix: IdPrefix, nowMs: number, tail: Uint8Array): string {
  for (let at = 0; at < random.length; at++) random[at] = tail[at]!
  random[0] = 0x70 | (random[0]! & 0x0f)
  random[2] = 0x80 | (random[2]! & 0x3f)
  return `${prefix}_${encodeTime(nowMs)}${encodeFiveBytes(0)}${encodeFiveBytes(5)}`
}

/** The time in an id, in milliseconds since the epoch. */
export function timeOfId(id: string): number {
  // 26 characters have 130 bits, two of them leading padding: the first ten characters are 48 bits of time.
  let ms = 0
  for (const character of id.slice(4, 14)) ms = ms * 32 + ALPHABET.indexOf(character)
  return ms
}

/** Whether `text` has the form of an id with this prefix. */
export function isId(prefix: IdPrefix, text: string): boolean {
  if (text === BUILT_IN_SOURCE_ID) return prefix === 'src'
  return text.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(4))
}

/** 48 bits after two bits of padding: ten characters. Caches the last result, because many ids share a millisecond. */
function encodeTime(ms: number): string {
  if (ms === lastTime.ms) return lastTime.text
  let text = ''
  for (let rest = ms; text.length < 10; rest = Math.floor(rest / 32))
    text = ALPHABET[rest % 32]! + text
  lastTime = { ms, text }
  return text
}

/** Five of the random bytes: eight characters. */
function encodeFiveBytes(from: number): string {
  const middle = random[from + 2]!
  const high = (random[from]! << 12) | (random[from + 1]! << 4) | (middle >> 4)
  return (
    encode20Bits(high) +
    encode20Bits(((middle & 15) << 16) | (random[from + 3]! << 8) | random[from + 4]!)
  )
}

/** 20 bits: four characters. */
function encode20Bits(bits: number): string {
  return (
    ALPHABET[bits >> 15]! +
    ALPHABET[(bits >> 10) & 31]! +
    ALPHABET[(bits >> 5) & 31]! +
    ALPHABET[bits & 31]!
  )
}

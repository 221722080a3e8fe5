/** What the id of each kind of thing begins with. */
export type IdPrefix = 'src' | 'dst' | 'evt' | 'msg' | 'att' | 'tok' | 'aud' | 'rpl' | 'del'

// Crockford's base32 in lower case: sorts like the bytes it spells.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

const randomPool = new Uint8Array(4096)
let randomUsed = randomPool.length

// Written anew for each id: an id is made for every event, delivery and attempt.
const uuid = new Uint8Array(16)
const spelled = new Uint8Array(26)

/** `prefix_` and a UUIDv7 (RFC 9562 §5.7) in base32: 26 characters that sort by `nowMs`. */
export function newId(prefix: IdPrefix, nowMs: number): string {
  if (randomUsed + 10 > randomPool.length) {
    crypto.getRandomValues(randomPool)
    randomUsed = 0
  }
  const random = randomPool.subarray(randomUsed, (randomUsed += 10))
  return idFrom(prefix, nowMs, random)
}

/** The same with ten given bytes in place of random ones. Equal bytes and time give an equal id. */
export function idFrom(prefix: IdPrefix, nowMs: number, tail: Uint8Array): string {
  uuid.set(tail.subarray(0, 10), 6)
  for (let at = 5, ms = nowMs; at >= 0; at--, ms = Math.floor(ms / 256)) uuid[at] = ms % 256
  uuid[6] = 0x70 | (uuid[6]! & 0x0f)
  uuid[8] = 0x80 | (uuid[8]! & 0x3f)
  return `${prefix}_${base32(uuid)}`
}

/** When the thing with this id was made, in milliseconds since the epoch. */
export function timeOfId(id: string): number {
  // 26 characters carry 130 bits, two of them padding in front: the first ten are 48 bits of time.
  let ms = 0
  for (const character of id.slice(4, 14)) ms = ms * 32 + ALPHABET.indexOf(character)
  return ms
}

/** Whether `text` has the form of an id with this prefix. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(4))
}

function base32(bytes: Uint8Array): string {
  let at = 0
  let buffer = 0
  let bits = 2
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      spelled[at++] = ALPHABET.charCodeAt((buffer >>> bits) & 31)
      buffer &= (1 << bits) - 1
    }
  }
  return String.fromCharCode(...spelled)
}

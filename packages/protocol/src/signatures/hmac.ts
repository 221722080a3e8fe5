import { hash } from 'node:crypto'

/** Bytes of a block of both digests, which HMAC is defined by. */
const BLOCK = 64

const inner = { pad: 0x36, bytes: Buffer.alloc(4096) }
const outer = { pad: 0x5c, bytes: Buffer.alloc(2 * BLOCK) }

/**
 * HMAC (RFC 2104) of a prefix and a body, texts as UTF-8. By two digests in one go each: what `createHmac` makes and leaves to the garbage
 * collector costs a sender of many requests more than the digests themselves.
 */
export function hmac(
  algorithm: 'sha1' | 'sha256',
  key: Uint8Array,
  [prefix, body]: readonly [string, string | Uint8Array],
  encoding: 'hex' | 'base64',
): string {
  const most = BLOCK + 3 * (prefix.length + body.length)
  if (inner.bytes.length < most) inner.bytes = Buffer.alloc(most)
  const padded = key.length > BLOCK ? hash(algorithm, key, 'buffer') : key
  for (const { pad, bytes } of [inner, outer]) {
    for (let at = 0; at < BLOCK; at++) bytes[at] = (padded[at] ?? 0) ^ pad
  }
  let end = BLOCK + inner.bytes.write(prefix, BLOCK, 'utf8')
  if (typeof body === 'string') end += inner.bytes.write(body, end, 'utf8')
  else {
    inner.bytes.set(body, end)
    end += body.length
  }
  // Another name of latin1, the one that the types of `hash` know.
  const digest = hash(algorithm, inner.bytes.subarray(0, end), 'binary')
  const outerEnd = BLOCK + outer.bytes.write(digest, BLOCK, 'latin1')
  return hash(algorithm, outer.bytes.subarray(0, outerEnd), encoding)
}

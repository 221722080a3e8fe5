import { hash } from 'node:crypto'

/** The block size of both digests in bytes, as used in HMAC. */
const BLOCK = 64

const inner = { pad: 0x36, bytes: Buffer.alloc(4096) }
const outer = { pad: 0x5c, bytes: Buffer.alloc(2 * BLOCK) }

/**
 * HMAC (RFC 2104) of a prefix and a body, strings as UTF-8. Uses two one-shot digests, because the objects that
 * `createHmac` allocates cost more than the digests themselves at high request rates.
 */
export function hmac(
  algorithm: 'sha1' | 'sha256',
  key: Uint8Array,
  [prefix, body]: readonly [string, string | Uint8Array],
  encoding: 'hex' | 'base64',
): string {
  const maxBytes = BLOCK + 3 * (prefix.length + body.length)
  if (inner.bytes.length < maxBytes) inner.bytes = Buffer.alloc(maxBytes)
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
  // Same as latin1, but allowed by the types of `hash`.
  const digest = hash(algorithm, inner.bytes.subarray(0, end), 'binary')
  const outerEnd = BLOCK + outer.bytes.write(digest, BLOCK, 'latin1')
  return hash(algorithm, outer.bytes.subarray(0, outerEnd), encoding)
}

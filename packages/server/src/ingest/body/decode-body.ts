import { type Json, withoutNonFinite } from '@hookline/protocol'
import { isUtf8 } from 'node:buffer'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { isRefused, type Refused } from '../responses.ts'

// Synchronous on purpose: up to the limit, it takes less time than JSON.parse of the result.
type Decompress = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer

const DECOMPRESS: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', (bytes, options) => (isZlib(bytes) ? inflateSync : inflateRawSync)(bytes, options)],
  [
    'br',
    (bytes, options) =>
      brotliDecompressSync(withSmallWindow(bytes, options.maxOutputLength), options),
  ],
])

const BYTE_ORDER_MARK = '\uFEFF'

/** A decompressed and decoded body. */
export interface DecodedBody {
  readonly text: string
  /** The size after decompression. */
  readonly bytes: number
  /** Whether the body is UTF-8. If not, a U+FFFD in `text` may stand for any of several bytes. */
  readonly isUtf8: boolean
}

/**
 * Decompresses a body by its `Content-Encoding`, and decodes UTF-8 with or without a byte order mark. Decompression
 * stops at `maxBytes`. Bytes that are not UTF-8 become U+FFFD, so that one name that a client cut in the middle of a
 * character does not make the whole batch invalid. The call gets a mark; in an id, they cost the call.
 */
export function decodeBody(
  bytes: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): DecodedBody | Refused {
  const decompressed = decompress(bytes, contentEncoding, maxBytes)
  if (!Buffer.isBuffer(decompressed)) return decompressed
  const text = decompressed.toString('utf8')
  return {
    text: text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text,
    bytes: decompressed.length,
    isUtf8: isUtf8(decompressed),
  }
}

function decompress(
  bytes: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Buffer | Refused {
  const encoding = contentEncoding?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return bytes
  const decompressor = DECOMPRESS.get(encoding)
  if (decompressor === undefined) return { refused: 'invalid_json' }
  try {
    return decompressor(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    return { refused: tooLarge ? 'batch_too_large' : 'invalid_json' }
  }
}

/** Whether deflated data has the zlib header (RFC 1950 §2.2). Some clients omit it. */
function isZlib(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
}

/**
 * The body of a request, and its JSON value. In both, Infinity replaces the numbers that JSON does not have: calls with
 * one are refused.
 */
export interface ParsedBody extends DecodedBody {
  readonly json: Json
}

/** Parses a body as JSON, whatever the content type is. */
export function parseBody(
  sent: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): ParsedBody | Refused {
  const decoded = decodeBody(sent, contentEncoding, maxBytes)
  if (isRefused(decoded)) return decoded
  const json = jsonIn(decoded.text)
  if (json !== undefined) return { ...decoded, json }
  const text = withoutNonFinite(decoded.text)
  const finite = text === undefined ? undefined : jsonIn(text)
  if (text === undefined || finite === undefined) return { refused: 'invalid_json' }
  return { ...decoded, text, json: finite }
}

/** `undefined` where the text is no JSON. */
function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

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
function withSmallWindow(stream: Buffer, maxBytes: number): Buffer {
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

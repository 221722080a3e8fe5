import { isUtf8 } from 'node:buffer'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import type { Refused } from '../refused.ts'
import { withSmallWindow } from './brotli-window.ts'

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

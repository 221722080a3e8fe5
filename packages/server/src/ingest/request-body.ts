import { type Json, withoutNonFinite } from '@hookline/protocol'
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { isRefused, type IngestRefusal } from './responses.ts'
import type { BodyTurns } from '../util/limits/body-turns.ts'
import type { ByteBudget } from '../util/limits/byte-budget.ts'

/** Minimum memory of a partial body: one page of the operating system. */
const PAGE_BYTES = 4096
const NO_MEMORY = new ArrayBuffer(0)

/** The received bytes of a body, in a growing buffer whose size counts against a shared budget. */
export class PartialBody {
  readonly #budget: ByteBudget
  readonly #contentLength: number | undefined
  readonly #maxBytes: number
  #view: Uint8Array<ArrayBuffer> | undefined
  #packet: Buffer | undefined
  #bytes = 0
  #takenBytes = 0

  /** @param contentLength the Content-Length. The caller adds at most `maxBytes`. */
  constructor(
    budget: ByteBudget,
    { contentLength, maxBytes }: { readonly contentLength?: number; readonly maxBytes: number },
  ) {
    this.#budget = budget
    this.#contentLength = contentLength
    this.#maxBytes = contentLength ?? maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Adds bytes. Returns false if the budget is exhausted. */
  add(chunk: Buffer): boolean {
    const bytes = this.#bytes + chunk.length
    // Most bodies arrive in one packet, which needs no copy.
    if (chunk.length === this.#contentLength) this.#packet = chunk
    else if (this.#growTo(bytes)) this.#view!.set(chunk, this.#bytes)
    else return false
    this.#bytes = bytes
    return true
  }

  /** Counts a complete body that waits to be parsed. Returns false if the budget is exhausted. Idempotent. */
  hold(): boolean {
    // A body of several packets is already counted.
    if (this.#packet === undefined || this.#takenBytes > 0) return true
    if (!this.#budget.take(this.#bytes)) return false
    this.#takenBytes = this.#bytes
    return true
  }

  /** The received bytes, until the body is taken or dropped. */
  get receivedBytes(): Buffer {
    return this.#packet ?? Buffer.from(this.#view?.buffer ?? NO_MEMORY, 0, this.#bytes)
  }

  /** Returns the bytes of a complete body, and releases its share of the budget. */
  take(): Buffer {
    const { receivedBytes } = this
    // The memory belongs to the caller now: `drop` must not free it.
    this.#view = undefined
    this.drop()
    return receivedBytes
  }

  /** Frees the memory immediately, without garbage collection, and releases its share of the budget. */
  drop(): void {
    this.#budget.release(this.#takenBytes)
    this.#takenBytes = 0
    this.#packet = undefined
    this.#view?.buffer.resize(0)
    this.#view = undefined
  }

  #growTo(bytes: number): boolean {
    const size = Math.min(Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES, this.#maxBytes)
    if (!this.#budget.take(size - this.#takenBytes)) return false
    this.#takenBytes = size
    // The buffer reserves address space for `maxByteLength`, but memory only for its size.
    this.#view ??= new Uint8Array(new ArrayBuffer(0, { maxByteLength: this.#maxBytes }))
    if (size > this.#view.length) this.#view.buffer.resize(size)
    return true
  }
}

interface BodyLimits {
  readonly maxBytes: number
  /** The memory that partial and waiting bodies share. */
  readonly partialBodies: ByteBudget
  readonly reading: BodyTurns
}

/** Reads the body, or resolves with `batch_too_large`, `overloaded` or `bad_request`: the caller drops the rest. */
export function readBody(
  request: IncomingMessage,
  { maxBytes, partialBodies, reading }: BodyLimits,
): Promise<PartialBody | IngestRefusal> {
  const contentLength = contentLengthOf(request)
  if (contentLength !== undefined && contentLength > maxBytes) {
    return Promise.resolve({ refused: 'batch_too_large' })
  }
  const body = new PartialBody(partialBodies, {
    maxBytes,
    ...(contentLength !== undefined && { contentLength }),
  })
  const { promise, resolve } = Promise.withResolvers<PartialBody | IngestRefusal>()
  const stopReading = (): void => {
    request.off('data', add).off('end', onEnd).off('close', onClose)
  }
  const refuse = (refused: IngestRefusal['refused']): void => {
    stopReading()
    body.drop()
    resolve({ refused })
  }
  const add = (chunk: Buffer): void => {
    if (body.bytes + chunk.length > maxBytes) refuse('batch_too_large')
    else if (!body.add(chunk)) refuse('overloaded')
    else if (chunk.length !== contentLength) reading.read(request, chunk)
  }
  const onEnd = (): void => {
    stopReading()
    resolve(body)
  }
  const onClose = (): void => refuse('bad_request')
  request.on('data', add)
  request.once('end', onEnd)
  // Emitted however the request ends: reset, timeout or complete body.
  request.once('close', onClose)
  return promise
}

/** The Content-Length; absent for a chunked body. */
function contentLengthOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

// Synchronous on purpose: within the limit, it takes less time than JSON.parse of the result.
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

interface DecodedBody {
  readonly text: string
  /** The size after decompression. */
  readonly bytes: number
  /** Whether the body is UTF-8. If not, a U+FFFD in `text` may stand for any invalid byte. */
  readonly isUtf8: boolean
}

/** Decompresses up to `maxBytes`, and decodes UTF-8. Invalid bytes become U+FFFD: one bad byte must not fail a whole batch. */
export function decodeBody(
  bytes: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): DecodedBody | IngestRefusal {
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
): Buffer | IngestRefusal {
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

/** Whether deflated data has the zlib header (RFC 1950 §2.2), which some clients omit. */
function isZlib(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
}

/** A body, and its JSON value. Non-finite numbers, which JSON does not have, become Infinity: their calls are refused. */
interface ParsedBody extends DecodedBody {
  readonly json: Json
}

/** Parses a body as JSON; the content type is ignored. */
export function parseBody(
  sent: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): ParsedBody | IngestRefusal {
  const decoded = decodeBody(sent, contentEncoding, maxBytes)
  if (isRefused(decoded)) return decoded
  const json = jsonIn(decoded.text)
  if (json !== undefined) return { ...decoded, json }
  const text = withoutNonFinite(decoded.text)
  const finite = text === undefined ? undefined : jsonIn(text)
  if (text === undefined || finite === undefined) return { refused: 'invalid_json' }
  return { ...decoded, text, json: finite }
}

function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** The smallest and largest window sizes that the first four bits of a stream encode, in bits (RFC 7932 §9.1). */
const MIN_BITS = 18
const MAX_BITS = 24
/** A distance is at most the size of the window minus this number (RFC 7932 §9.1). */
const BEYOND_DISTANCES = 16

/** The same stream with the window that `maxBytes` needs, if smaller: a decoder allocates all of it, up to 16 MiB. */
function withSmallWindow(stream: Buffer, maxBytes: number): Buffer {
  const first = stream[0] ?? 0
  const bits = bitsOf(first)
  const neededBits = Math.max(Math.ceil(Math.log2(maxBytes + BEYOND_DISTANCES)), MIN_BITS)
  if (bits <= neededBits) return stream
  const copy = Buffer.from(stream)
  copy[0] = (first & 0xf0) | ((neededBits - MIN_BITS + 1) << 1) | 1
  return copy
}

/** The size of the window; 0 if it is smaller than MIN_BITS. */
function bitsOf(first: number): number {
  const size = (first >> 1) & 0b111
  return (first & 1) === 1 && size > 0 ? MAX_BITS - 7 + size : 0
}

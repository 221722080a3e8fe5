import { ValidationError } from '../errors.ts'
import type { Options } from '../options.ts'
import type { Page } from './page.ts'

export interface RejectedMessage {
  /** Its position in the batch, from 0. */
  readonly index: number
  readonly messageId: string | null
  readonly code: string
  readonly message: string
}

/** The response to a batch, or the reason why there was none. */
export interface BatchResponse {
  /** Absent if there was no response. `cause` is then the reason. */
  readonly status?: number
  readonly retryAfter?: string
  /** Whether the body confirms that the service accepted the batch. */
  readonly isSuccess: boolean
  readonly code?: string | undefined
  readonly rejected: readonly RejectedMessage[]
  readonly cause?: unknown
}

type Bytes = Uint8Array<ArrayBuffer>

interface Sent {
  readonly body: Bytes
  readonly headers: Headers
}

const COMPRESSED_FROM_BYTES = 1024
/** Larger than the service's response when it rejects every call in the largest batch. */
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024
/** The browser's limit for the bodies of all `keepalive` requests in flight, in bytes. */
const KEEPALIVE_BYTES = 64 * 1024

/** The bytes of `KEEPALIVE_BYTES` in use by all clients on the page. */
let keepaliveBytes = 0

/** Sends batches, each in one POST request. */
export class Transport {
  readonly #options: Options
  readonly #page: Page
  readonly #headers: Headers
  readonly #authorization: string
  /** The end of the body if the write key is sent in the body. */
  readonly #keySuffix: Bytes
  #skipCompression: (() => void) | undefined

  constructor(writeKey: string, options: Options, page: Page) {
    // An unset environment variable is undefined, regardless of the type.
    if (!/^[\x21-\x7e]+$/.test(writeKey ?? '')) {
      throw new ValidationError('unknown_write_key', 'The write key is invalid.')
    }
    this.#options = options
    this.#page = page
    this.#headers = new Headers(options.headers)
    this.#headers.delete('Authorization')
    this.#authorization = `Basic ${btoa(`${writeKey}:`)}`
    this.#keySuffix = new TextEncoder().encode(`,"writeKey":${JSON.stringify(writeKey)}}`)
  }

  /** The size of the largest batch that can outlive the page now. */
  get keepaliveRoom(): number {
    const room = Math.min(KEEPALIVE_BYTES - keepaliveBytes, this.#options.maxBatchBytes)
    return room - this.#keySuffix.length
  }

  /** Called when the page ends: a batch that is being compressed is sent uncompressed. */
  hurry(): void {
    this.#skipCompression?.()
  }

  /**
   * Resolves with the response after reading it. Rejects if no response arrives, if a 2xx is incomplete, or if `signal`
   * aborts first. While the page is ending, the request starts before this method returns.
   */
  async post(body: Bytes, signal: AbortSignal): Promise<BatchResponse> {
    const compressed = this.#isCompressed(body) ? await this.#compress(body) : undefined
    const outlivesPage = this.#page.isEnding && body.length <= this.keepaliveRoom
    const sent = outlivesPage ? this.#withoutPreflight(body) : this.#request(body, compressed)
    const bytes = sent.body.length
    if (!this.#page.isPresent || keepaliveBytes + bytes > KEEPALIVE_BYTES) {
      return this.#fetch(sent, { signal })
    }
    keepaliveBytes += bytes
    try {
      return await this.#fetch(sent, { signal, keepalive: true })
    } catch (error) {
      // Other scripts on the page may have used up the browser's limit.
      if (signal.aborted) throw error
      return await this.#fetch(sent, { signal })
    } finally {
      keepaliveBytes -= bytes
    }
  }

  #isCompressed({ length }: Bytes): boolean {
    const isLarge = length > COMPRESSED_FROM_BYTES
    return (
      isLarge &&
      this.#options.gzip &&
      !this.#page.isEnding &&
      typeof CompressionStream === 'function'
    )
  }

  /** Resolves with `undefined` if the page ends before compression has finished. */
  #compress(body: Bytes): Promise<Bytes | undefined> {
    return new Promise((resolve, reject) => {
      this.#skipCompression = () => resolve(undefined)
      gzipBody(body).then(resolve, reject)
    })
  }

  #request(body: Bytes, compressed: Bytes | undefined): Sent {
    const headers = new Headers(this.#headers)
    headers.set('Content-Type', 'application/json')
    headers.set('Authorization', this.#authorization)
    if (compressed) headers.set('Content-Encoding', 'gzip')
    return { headers, body: compressed ?? body }
  }

  /**
   * A request that a browser sends to another origin without a CORS preflight, which would take too long. The write key is
   * in the body, and none of our headers needs a preflight.
   */
  #withoutPreflight(body: Bytes): Sent {
    const headers = new Headers(this.#headers)
    headers.set('Content-Type', 'text/plain')
    const end = body.length - 1
    const withKey = new Uint8Array(end + this.#keySuffix.length)
    withKey.set(body.subarray(0, end))
    withKey.set(this.#keySuffix, end)
    return { headers, body: withKey }
  }

  async #fetch(
    sent: Sent,
    init: RequestInit & { readonly signal: AbortSignal },
  ): Promise<BatchResponse> {
    const { endpoint, fetch = globalThis.fetch } = this.#options
    const aborted = rejectedBy(init.signal)
    // A redirect would turn the POST into a GET, whose response says nothing about the batch.
    const sending = fetch(endpoint, { method: 'POST', redirect: 'manual', ...sent, ...init })
    const response = await Promise.race([sending, aborted])
    // oxlint-disable-next-line no-unnecessary-type-conversion -- a `fetch` from the options may return anything
    const status = Number(response.status)
    const retryAfter = String(response.headers.get('Retry-After'))
    const reading = Promise.race([readText(response), aborted])
    // For any other status, the body is not needed: it may be cut off or stall.
    const text = await (isOk(status) ? reading : reading.catch(() => ''))
    const body = parseBody(text)
    const isForeign = status < 400 && !body.isSuccess
    return { status, retryAfter, ...(isForeign && { code: 'unexpected_response' }), ...body }
  }
}

/** Whether the status is 2xx. */
export function isOk(status: number): boolean {
  return status >= 200 && status < 300
}

/** Rejects when the signal aborts: a `fetch` from the options may ignore it. */
function rejectedBy(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted()
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
}

async function gzipBody(body: Bytes): Promise<Bytes> {
  const stream = new Blob([body]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** The body of a response; empty if it is larger than any response from the service. */
async function readText(response: Response): Promise<string> {
  // A `fetch` from the options may have no streams.
  const reader = response.body?.getReader?.()
  if (!reader) return response.text()
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > MAX_RESPONSE_BYTES) {
      // Not awaited: a stream that hangs would hang the client.
      reader.cancel().catch(() => {})
      return ''
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Parses the body of a response. An invalid body, such as a proxy's HTML, counts as unsuccessful. */
function parseBody(text: string): Pick<BatchResponse, 'isSuccess' | 'code' | 'rejected'> {
  try {
    const { success, code, rejected } = JSON.parse(text) as Record<string, unknown>
    return {
      isSuccess: success === true,
      ...(typeof code === 'string' && { code }),
      rejected: Array.isArray(rejected) ? rejected.filter(isRejectedMessage) : [],
    }
  } catch {
    return { isSuccess: false, rejected: [] }
  }
}

function isRejectedMessage(item: unknown): item is RejectedMessage {
  return Number.isInteger((item as RejectedMessage | null)?.index)
}

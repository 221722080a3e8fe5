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
  /** Absent if there was no response; `cause` then has the reason. */
  readonly status?: number
  readonly retryAfter?: string
  /** Whether the body says that the service took the batch. */
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
/** More than the service writes when it rejects every call of the largest batch. */
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024
/** What a browser allows all requests in flight that may outlive their page, in bytes of their bodies. */
const KEEPALIVE_BYTES = 64 * 1024

/** The part of `KEEPALIVE_BYTES` that all clients of the page use. */
let keepaliveBytes = 0

/** Sends batches, each in one POST request. */
export class Transport {
  readonly #options: Options
  readonly #page: Page
  readonly #headers: Headers
  readonly #authorization: string
  /** Ends the body of a request that carries the write key. */
  readonly #keySuffix: Bytes
  #skipCompression: (() => void) | undefined

  constructor(writeKey: string, options: Options, page: Page) {
    // A variable of the environment that is not set is undefined, whatever the types say.
    if (!/^[\x21-\x7e]+$/.test(writeKey ?? '')) {
      throw new ValidationError('unknown_write_key', 'give the write key of a source')
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

  /** The page ends: the batch that is being compressed is sent as it is. */
  hurry(): void {
    this.#skipCompression?.()
  }

  /**
   * Resolves with the response after reading it. Rejects if there is no response, not all of a success, or `signal` aborts
   * before. While the page ends, the request starts before this method returns.
   */
  async post(body: Bytes, signal: AbortSignal): Promise<BatchResponse> {
    const compressed = this.#isCompressed(body) ? await this.#compress(body) : undefined
    const isLast = this.#page.isEnding && body.length <= this.keepaliveRoom
    const sent = isLast ? this.#withoutPreflight(body) : this.#request(body, compressed)
    const bytes = sent.body.length
    if (!this.#page.isPresent || keepaliveBytes + bytes > KEEPALIVE_BYTES) {
      return this.#fetch(sent, { signal })
    }
    keepaliveBytes += bytes
    try {
      return await this.#fetch(sent, { signal, keepalive: true })
    } catch (error) {
      // Other scripts of the page may have used up what the browser allows.
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

  /** Resolves with nothing if the page ends before the result is there. */
  #compress(body: Bytes): Promise<Bytes | undefined> {
    return new Promise((resolve, reject) => {
      this.#skipCompression = () => resolve(undefined)
      gzipped(body).then(resolve, reject)
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
   * A request that a browser sends to another origin without asking first, because the answer would come too late. It has
   * its write key in the body, and no header of ours that needs permission.
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
    // A redirect turns a POST into a GET: its response would say nothing about the batch.
    const sending = fetch(endpoint, { method: 'POST', redirect: 'manual', ...sent, ...init })
    const response = await Promise.race([sending, aborted])
    // oxlint-disable-next-line no-unnecessary-type-conversion -- a `fetch` from the options may return anything
    const status = Number(response.status)
    const retryAfter = String(response.headers.get('Retry-After'))
    const reading = Promise.race([readText(response), aborted])
    // Another status decides alone: its body may break off or hang.
    const text = await (isOk(status) ? reading : reading.catch(() => ''))
    const body = parseBody(text)
    const isForeign = status < 400 && !body.isSuccess
    return { status, retryAfter, ...(isForeign && { code: 'unexpected_response' }), ...body }
  }
}

/** Whether the status is one of success. */
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

async function gzipped(body: Bytes): Promise<Bytes> {
  const stream = new Blob([body]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** The body of a response; nothing if it is larger than any of the service. */
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
      // Not awaited: a source that hangs would hang the client.
      reader.cancel().catch(() => {})
      return ''
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** What the body of a response says; nothing if it is not JSON, such as a proxy's HTML. */
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

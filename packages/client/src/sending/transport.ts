import { ValidationError } from '../errors.ts'
import type { Options } from '../options.ts'

/** One message that the service rejected. */
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
  readonly code?: string | undefined
  readonly rejected: readonly RejectedMessage[]
  readonly cause?: unknown
}

const COMPRESSED_FROM_BYTES = 1024

/** Sends batches, each in one POST request. */
export class Transport {
  readonly #options: Options
  readonly #headers: Headers

  constructor(writeKey: string, options: Options) {
    // A variable of the environment that is not set is undefined, whatever the types say.
    if (!/^[\x21-\x7e]+$/.test(writeKey ?? '')) {
      throw new ValidationError('unknown_write_key', 'give the write key of a source')
    }
    this.#options = options
    this.#headers = new Headers(options.headers)
    this.#headers.set('Content-Type', 'application/json')
    this.#headers.set('Authorization', `Basic ${btoa(`${writeKey}:`)}`)
  }

  /** Resolves with the response after reading all of it. Rejects if there is no response or `signal` aborts. */
  async post(body: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<BatchResponse> {
    const { endpoint, gzip, fetch = globalThis.fetch } = this.#options
    const headers = new Headers(this.#headers)
    let sentBody = body
    if (gzip && body.length > COMPRESSED_FROM_BYTES && 'CompressionStream' in globalThis) {
      headers.set('Content-Encoding', 'gzip')
      sentBody = await gzipped(body)
    }
    // A redirect turns a POST into a GET: its response would say nothing about the batch.
    const response = await fetch(endpoint, {
      method: 'POST',
      headers,
      body: sentBody,
      signal,
      redirect: 'manual',
    })
    return {
      // oxlint-disable-next-line no-unnecessary-type-conversion -- a `fetch` from the options may return anything
      status: Number(response.status),
      retryAfter: String(response.headers.get('Retry-After')),
      ...parseBody(await response.text()),
    }
  }
}

async function gzipped(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([body]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** The code and the rejected messages in the body of a response; nothing if it is not JSON, such as a proxy's HTML. */
function parseBody(text: string): Pick<BatchResponse, 'code' | 'rejected'> {
  try {
    const { code, rejected } = JSON.parse(text) as { code?: unknown; rejected?: unknown }
    return {
      code: typeof code === 'string' ? code : undefined,
      rejected: Array.isArray(rejected) ? rejected.filter(isRejectedMessage) : [],
    }
  } catch {
    return { rejected: [] }
  }
}

function isRejectedMessage(item: unknown): item is RejectedMessage {
  return Number.isInteger((item as RejectedMessage | null)?.index)
}

import { ValidationError } from '../errors.ts'
import type { Options } from '../options.ts'

/** One message that the service refused. */
export interface Rejected {
  /** Its place in the batch, from 0. */
  readonly index: number
  readonly messageId: string | null
  readonly code: string
  readonly message: string
}

/** What came of a request. */
export interface Answer {
  /** Absent where nothing came, for the reason in `cause`. */
  readonly status?: number
  readonly retryAfter?: string | null
  readonly code?: string | undefined
  readonly rejected: readonly Rejected[]
  readonly cause?: unknown
}

const COMPRESSED_FROM_BYTES = 1024

/** Posts batches, each in one request. */
export class Transport {
  readonly #options: Options
  readonly #headers: Headers

  constructor(writeKey: string, options: Options) {
    if (!/^[\x21-\x7e]+$/.test(writeKey)) {
      throw new ValidationError('unknown_write_key', 'give the write key of a source')
    }
    this.#options = options
    this.#headers = new Headers(options.headers)
    this.#headers.set('Content-Type', 'application/json')
    this.#headers.set('Authorization', `Basic ${btoa(`${writeKey}:`)}`)
  }

  /** Resolves with the answer, read to its end. Rejects where there is none, also because of `signal`. */
  async post(body: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Answer> {
    const { endpoint, gzip, fetch = globalThis.fetch } = this.#options
    const headers = new Headers(this.#headers)
    let sent = body
    if (gzip && body.length > COMPRESSED_FROM_BYTES && 'CompressionStream' in globalThis) {
      headers.set('Content-Encoding', 'gzip')
      sent = await compressed(body)
    }
    // A redirected POST arrives as a GET: its answer would say nothing of the batch.
    const response = await fetch(endpoint, {
      method: 'POST',
      headers,
      body: sent,
      signal,
      redirect: 'manual',
    })
    const { status } = response
    return {
      status,
      retryAfter: response.headers.get('Retry-After'),
      ...read(await response.text()),
    }
  }
}

async function compressed(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([body]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** What an answer says besides its status; a proxy's HTML says nothing. */
function read(text: string): Pick<Answer, 'code' | 'rejected'> {
  try {
    const { code, rejected } = JSON.parse(text) as { code?: unknown; rejected?: unknown }
    return {
      code: typeof code === 'string' ? code : undefined,
      rejected: Array.isArray(rejected) ? rejected.filter(isRejected) : [],
    }
  } catch {
    return { rejected: [] }
  }
}

function isRejected(item: unknown): item is Rejected {
  return Number.isInteger((item as Rejected | null)?.index)
}

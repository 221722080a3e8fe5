import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Clock } from '../../util/time/clock.ts'
import { sleep } from '../../util/time/sleep.ts'

export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Alternating names and values, as sent. */
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
}

export interface InProcessResponse {
  readonly id: string
  readonly status: number
  readonly delayMs: number
}

export interface InProcessReceiver {
  /** Handles a request. A rejection closes the connection without a response. */
  receive(request: SentRequest): Promise<InProcessResponse> | InProcessResponse
  /** Called when the response to the request with this id has been sent. */
  responded(id: string): void
}

/** HTTP over in-memory streams to a receiver in this process, which gets the same bytes as any other receiver. */
export class InProcessConnections {
  readonly #receiver: InProcessReceiver
  readonly #clock: Clock
  readonly #server = createServer((incoming, response) => {
    // The attempt fails, as with any receiver that closes its connection.
    this.#take(incoming, response).catch(() => response.destroy())
  })

  constructor(receiver: InProcessReceiver, clock: Clock) {
    this.#receiver = receiver
    this.#clock = clock
  }

  /** undici and Node's HTTP server accept a stream that is not a socket. */
  open(): Socket {
    const [own, other] = duplexPair()
    own.once('close', () => other.destroy())
    other.once('close', () => own.destroy())
    this.#server.emit('connection', other)
    return own as Socket
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const closed = new AbortController()
    response.once('close', () => closed.abort())
    const { method = '', url: path = '', headers, rawHeaders } = incoming
    const body = await buffer(incoming)
    const { id, status, delayMs } = await this.#receiver.receive({
      method,
      path,
      headers,
      rawHeaders,
      body,
    })
    if (delayMs > 0) await sleep(this.#clock, delayMs, closed.signal)
    if (closed.signal.aborted) return
    response.writeHead(status).end()
    this.#receiver.responded(id)
  }
}

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
import { pause } from '../../util/time/pause.ts'

/** A request as it was sent. Plain data, which can be sent to a thread. */
export interface SentRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, in the order and spelling in which they were sent. */
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
}

/** The response to a request. */
export interface InsideResponse {
  /** The id of the request. */
  readonly id: string
  readonly status: number
  /** How long the response is delayed. */
  readonly delayMs: number
}

/** A receiver in this process. */
export interface ReceiverInside {
  /** Takes a request. If it rejects, the connection is closed without a response. */
  receive(request: SentRequest): Promise<InsideResponse> | InsideResponse
  /** The response to the request with this id was sent. */
  responded(id: string): void
}

/**
 * Connections to a receiver in this process: HTTP over a pair of streams in memory. The sender writes the same bytes as to
 * any other receiver, and the receiver gets what Node's parser reads from them.
 */
export class InsideConnections {
  readonly #receiver: ReceiverInside
  readonly #clock: Clock
  readonly #server = createServer((incoming, response) => {
    // The attempt fails as with any receiver that closes its connection.
    this.#take(incoming, response).catch(() => response.destroy())
  })

  constructor(receiver: ReceiverInside, clock: Clock) {
    this.#receiver = receiver
    this.#clock = clock
  }

  /** Opens a connection. undici and Node's HTTP server use it as a stream, and need no socket. */
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
    if (delayMs > 0) await pause(this.#clock, delayMs, closed.signal)
    if (closed.signal.aborted) return
    response.writeHead(status).end()
    this.#receiver.responded(id)
  }
}

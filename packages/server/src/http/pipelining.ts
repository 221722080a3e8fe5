import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Calls `handle` when it is the turn of the request that `response` belongs to. */
export type InTurn = (response: ServerResponse, handle: () => void) => void

/**
 * Handles the requests of one connection one after the other. A client may send requests ahead (RFC 9112 §9.3.2).
 * Each of them waits until the responses to the earlier ones are sent, so the memory that unread responses
 * take is that of one response. Nothing is read from the connection while requests wait.
 */
export class Pipelining {
  readonly #maxWaiting: number
  readonly #waiting = new WeakMap<Socket, WaitingRequests>()

  /** A connection with more than `maxWaiting` waiting requests is closed. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting
  }

  /** Calls `handle` when it is the turn of this request: at once, if no other request of the connection is in progress. */
  inTurn(response: ServerResponse, handle: () => void): void {
    // Node gives a response its socket when the response before it is sent.
    if (response.socket !== null) return handle()
    const { socket } = response.req
    if (socket.destroyed) return
    let waiting = this.#waiting.get(socket)
    if (waiting === undefined) this.#waiting.set(socket, (waiting = new WaitingRequests(socket)))
    if (waiting.count === this.#maxWaiting) return close(socket)
    waiting.add()
    response.once('socket', () =>
      // Other connections go first.
      setImmediate(() => {
        waiting.remove()
        if (!socket.destroyed) handle()
      }),
    )
  }
}

/** Closes a connection while Node parses what it has read, which may be thousands of requests. */
function close(socket: Socket): void {
  const { parser } = socket as { readonly parser?: { onIncoming: () => number } }
  // There is no public way to stop the parser. Without a response for each, the rest takes a quarter of the time.
  if (parser) parser.onIncoming = () => 0
  socket.resetAndDestroy()
}

/** The waiting requests of one connection, which is paused until there are none. */
class WaitingRequests {
  readonly #socket: Socket
  #count = 0
  // Node resumes the socket at the end of each request that it has parsed.
  readonly #pause = (): unknown => this.#socket.pause()

  constructor(socket: Socket) {
    this.#socket = socket
  }

  get count(): number {
    return this.#count
  }

  add(): void {
    this.#count++
    if (this.#count > 1) return
    this.#socket.on('resume', this.#pause)
    this.#socket.pause()
  }

  remove(): void {
    this.#count--
    if (this.#count > 0) return
    this.#socket.off('resume', this.#pause)
    this.#socket.resume()
  }
}

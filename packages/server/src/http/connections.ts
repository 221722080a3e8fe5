import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Clock, systemClock } from '../util/time/clock.ts'

/**
 * Limits the connections of a server. When the last place is taken, the connection closes whose client has done nothing
 * for longest: first one that has no request or has not sent all of it, then one that waits with its next request, or has not
 * read all of the response. So many clients that never finish do not close the connections of those that do. A request that
 * the service is handling is never cut off. Where all are handled, a new connection is closed.
 *
 * The function that it returns ends the limit for a connection, which another server counts from now on.
 */
export function limitConnections(server: Server, most: number): (socket: Socket) => void {
  /** With the last response of each, in the order of their last requests. */
  const open = new Map<Socket, ServerResponse | undefined>()
  server.on('connection', (socket: Socket) => {
    open.set(socket, undefined)
    socket.once('close', () => open.delete(socket))
    if (open.size < most) return
    const idle =
      firstOf(open, (other, response) => other !== socket && isUnfinished(response)) ??
      firstOf(open, (other, response) => other !== socket && response!.writableEnded)
    if (idle) close(idle)
    else if (open.size > most) close(socket)
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (!open.delete(socket)) return
    open.set(socket, response)
  })
  const close = (socket: Socket): void => {
    open.delete(socket)
    socket.destroy()
  }
  return (socket) => void open.delete(socket)
}

/** Whether the client has to send more. A request that is behind another one that is handled has no socket yet. */
function isUnfinished(response: ServerResponse | undefined): boolean {
  return response === undefined || (response.socket !== null && !response.req.complete)
}

function firstOf<K, V>(
  map: ReadonlyMap<K, V>,
  isFound: (key: K, value: V) => boolean,
): K | undefined {
  for (const [key, value] of map) if (isFound(key, value)) return key
  return undefined
}

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
    if (waiting.count === this.#maxWaiting) return closeWhileParsing(socket)
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
function closeWhileParsing(socket: Socket): void {
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

const LONGEST_CHECK_MS = 1_000

interface Unread {
  readonly bytes: number
  /** When the number of bytes last changed. */
  readonly since: number
}

/** Closes connections whose client has read nothing of a response for `timeoutMs`. */
export class UnreadResponses {
  readonly #timeoutMs: number
  readonly #clock: Clock
  readonly #sockets = new Map<Socket, Unread>()

  constructor(timeoutMs: number, clock: Clock = systemClock) {
    this.#timeoutMs = timeoutMs
    this.#clock = clock
  }

  /** Watches a connection until it closes. */
  watch(socket: Socket): void {
    if (this.#sockets.has(socket) || socket.destroyed) return
    if (this.#sockets.size === 0) this.#checkLater()
    this.#sockets.set(socket, { bytes: 0, since: this.#clock.now() })
    socket.once('close', () => this.#sockets.delete(socket))
  }

  #checkLater(): void {
    this.#clock.after(Math.min(this.#timeoutMs / 4, LONGEST_CHECK_MS), () => {
      for (const [socket, unread] of this.#sockets) this.#check(socket, unread)
      if (this.#sockets.size > 0) this.#checkLater()
    })
  }

  #check(socket: Socket, { bytes, since }: Unread): void {
    const now = this.#clock.now()
    const left = unsentBytes(socket)
    if (left === 0 || left !== bytes) this.#sockets.set(socket, { bytes: left, since: now })
    // Resets it, so that the operating system does not keep what the client has not read.
    else if (now - since >= this.#timeoutMs) socket.resetAndDestroy()
  }
}

/** Bytes of responses that the operating system has not taken yet, because its own buffer is full. */
function unsentBytes(socket: Socket): number {
  // There is no public way to see how much of one large write is sent; Node's own timeouts use the same.
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize: number } }
  return socket.writableLength === 0 ? 0 : socket.writableLength + (handle?.writeQueueSize ?? 0)
}

/** How often a closing server looks for connections to close. */
const CHECK_MS = 50

/**
 * Closes the connections of a closing server: the idle ones at once and as they become idle, those that have sent nothing
 * after CHECK_MS, and all of them when `overdue` aborts. Node itself closes only those that are idle when the closing
 * begins. A kept-alive connection that is in use then would keep the server open until the keep-alive timeout.
 */
export class ClosingConnections {
  readonly #server: Server
  readonly #overdue: AbortSignal | undefined
  /** Node counts a connection without a first byte as one with a request, so the server cannot close it as idle. */
  readonly #open = new Set<Socket>()

  constructor(server: Server, overdue?: AbortSignal) {
    this.#server = server
    this.#overdue = overdue
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
  }

  /** The server closes. */
  start(): void {
    let cancel = (): void => undefined
    const checkLater = (): void => {
      cancel = systemClock.after(CHECK_MS, () => {
        this.#close()
        checkLater()
      })
    }
    this.#server.once('close', () => cancel())
    this.#server.closeIdleConnections()
    checkLater()
  }

  #close(): void {
    const isOverdue = this.#overdue?.aborted === true
    this.#server.closeIdleConnections()
    for (const socket of this.#open) if (isOverdue || socket.bytesRead === 0) socket.destroy()
  }
}

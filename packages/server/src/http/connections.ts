import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { systemClock } from '../util/time/clock.ts'

/**
 * Limits the connections of a server. At the limit, the connection that has been idle longest is
 * closed: one without a complete request, or else one between requests or with an unread response. If
 * all have a request in progress, the new connection is closed. Call
 * the returned function when a connection has been handed to another server, which then counts it instead.
 */
export function limitConnections(server: Server, max: number): (socket: Socket) => void {
  /** The open connections, in the order of their last requests. */
  const open = new Map<Socket, Connection>()
  server.on('connection', (socket: Socket) => {
    open.set(socket, { response: undefined })
    socket.once('close', () => open.delete(socket))
    if (open.size < max) return
    const idle =
      firstOf(open, (other, { response }) => other !== socket && isUnfinished(response)) ??
      firstOf(open, (other, { response }) => other !== socket && response!.writableEnded)
    if (idle) close(idle)
    else if (open.size > max) close(socket)
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(socket)
    if (connection === undefined) return
    connection.response = response
    open.delete(socket)
    open.set(socket, connection)
  })
  const close = (socket: Socket): void => {
    open.delete(socket)
    socket.destroy()
  }
  return (socket) => void open.delete(socket)
}

interface Connection {
  /** The response to the last request. */
  response: ServerResponse | undefined
}

/**
 * Whether a connection has no complete request yet. A pipelined request that waits for its turn counts as complete; its
 * response has no socket yet.
 */
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

export type InTurn = (response: ServerResponse, handle: () => void) => void

/** Handles pipelined requests one by one (RFC 9112 §9.3.2), so a connection has at most one unread response in memory. */
export class Pipelining {
  readonly #maxWaiting: number
  /** Waiting requests by connection, which is paused until there are none. */
  readonly #waiting = new WeakMap<Socket, number>()

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting
  }

  inTurn(response: ServerResponse, handle: () => void): void {
    // Node gives a response its socket when the response before it is sent.
    if (response.socket !== null) return handle()
    const { socket } = response.req
    if (socket.destroyed) return
    const waiting = this.#waiting.get(socket) ?? 0
    if (waiting === this.#maxWaiting) return closeWhileParsing(socket)
    this.#waiting.set(socket, waiting + 1)
    // Node resumes the socket at the end of each request that it has parsed.
    if (waiting === 0) socket.on('resume', keepPaused).pause()
    response.once('socket', () =>
      // Other connections go first.
      setImmediate(() => {
        this.#handled(socket)
        if (!socket.destroyed) handle()
      }),
    )
  }

  #handled(socket: Socket): void {
    const waiting = this.#waiting.get(socket)! - 1
    this.#waiting.set(socket, waiting)
    if (waiting === 0) socket.off('resume', keepPaused).resume()
  }
}

function keepPaused(this: Socket): void {
  this.pause()
}

/** Closes a connection while Node parses its input, which may be thousands of requests. */
function closeWhileParsing(socket: Socket): void {
  const { parser } = socket as { readonly parser?: { onIncoming: () => number } }
  // No public API stops the parser. Without responses, parsing the rest takes a quarter of the time.
  if (parser) parser.onIncoming = () => 0
  socket.resetAndDestroy()
}

const MAX_CHECK_MS = 1_000

interface Unread {
  readonly bytes: number
  readonly since: number
}

/** Closes connections whose client has read nothing of a response for `timeoutMs`. */
export class UnreadResponses {
  readonly #timeoutMs: number
  readonly #sockets = new Map<Socket, Unread>()

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  watch(socket: Socket): void {
    if (this.#sockets.has(socket) || socket.destroyed) return
    if (this.#sockets.size === 0) this.#checkLater()
    this.#sockets.set(socket, { bytes: 0, since: systemClock.now() })
    socket.once('close', () => this.#sockets.delete(socket))
  }

  #checkLater(): void {
    systemClock.after(Math.min(this.#timeoutMs / 4, MAX_CHECK_MS), () => {
      for (const [socket, unread] of this.#sockets) this.#check(socket, unread)
      if (this.#sockets.size > 0) this.#checkLater()
    })
  }

  #check(socket: Socket, { bytes, since }: Unread): void {
    const now = systemClock.now()
    const unsent = unsentBytes(socket)
    if (unsent === 0 || unsent !== bytes) this.#sockets.set(socket, { bytes: unsent, since: now })
    // A reset, so that the operating system drops the unread bytes.
    else if (now - since >= this.#timeoutMs) socket.resetAndDestroy()
  }
}

/** Bytes of responses that do not fit in the operating system's buffer. */
function unsentBytes(socket: Socket): number {
  // No public API exposes the progress of a large write; Node's own timeouts use the same property.
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize: number } }
  return socket.writableLength === 0 ? 0 : socket.writableLength + (handle?.writeQueueSize ?? 0)
}

const CHECK_MS = 50

/**
 * Returns a function that closes idle and unused connections of a closing server, and all connections once
 * `overdue` aborts.
 */
export function connectionCloser(server: Server, overdue: AbortSignal | undefined): () => void {
  /** The open connections. Node treats a connection without a first byte as active, and does not close it as idle. */
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return () => {
    let cancel = (): void => undefined
    server.once('close', () => cancel())
    server.closeIdleConnections()
    const checkLater = (): void => {
      cancel = systemClock.after(CHECK_MS, () => {
        server.closeIdleConnections()
        for (const socket of open)
          if (overdue?.aborted === true || socket.bytesRead === 0) socket.destroy()
        checkLater()
      })
    }
    checkLater()
  }
}

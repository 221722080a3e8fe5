import type { Socket } from 'node:net'
import { type Clock, systemClock } from '../util/time/clock.ts'

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

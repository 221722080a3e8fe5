import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { systemClock } from '../util/time/clock.ts'

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

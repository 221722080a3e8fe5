import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { MisbehavingReceiver } from './misbehaving-receiver.ts'

const ANNOUNCED_BYTES = 10 * 2 ** 30
/** Room for the bytes that the sender may read, and for the buffers of loopback sockets. */
const MAX_BYTES = 16 * 2 ** 20
const CHUNK = Buffer.alloc(64 * 1024, 'x')

/** Responds with 200 and a body of 10 GB, sent as fast as the socket permits. */
export class HugeBodyReceiver implements MisbehavingReceiver {
  readonly expected: Readonly<Record<string, unknown>> = { outcome: 'delivered', status: 200 }
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #maxSent = 0

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        this.#maxSent = Math.max(this.#maxSent, socket.bytesWritten)
        this.#sockets.delete(socket)
      })
    })
    server.on('request', (_request, response) => {
      response.writeHead(200, { 'Content-Length': ANNOUNCED_BYTES })
      const send = (): void => {
        while (!response.destroyed && response.write(CHUNK));
      }
      response.on('drain', send)
      send()
    })
  }

  static async open(): Promise<HugeBodyReceiver> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new HugeBodyReceiver(server)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  get openConnections(): number {
    return this.#sockets.size
  }

  get violations(): readonly string[] {
    return this.#maxSent > MAX_BYTES
      ? [`${this.#maxSent} bytes of the body were read; the limit is ${MAX_BYTES}`]
      : []
  }

  checkRequests(): void {}

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }
}

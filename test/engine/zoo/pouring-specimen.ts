import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Specimen } from './specimen.ts'

const ANNOUNCED_BYTES = 10 * 2 ** 30
/** What the engine reads, and what sockets of loopback hold besides. */
const MOST_BYTES = 16 * 2 ** 20
const CHUNK = Buffer.alloc(64 * 1024, 'x')

/** Answers 200 and pours a body of 10 GB, as fast as the socket takes it. */
export class PouringSpecimen implements Specimen {
  readonly expected: Readonly<Record<string, unknown>> = { outcome: 'delivered', status: 200 }
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #mostPoured = 0

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        this.#mostPoured = Math.max(this.#mostPoured, socket.bytesWritten)
        this.#sockets.delete(socket)
      })
    })
    server.on('request', (_request, response) => {
      response.writeHead(200, { 'Content-Length': ANNOUNCED_BYTES })
      const pour = (): void => {
        while (!response.destroyed && response.write(CHUNK));
      }
      response.on('drain', pour)
      pour()
    })
  }

  static async open(): Promise<PouringSpecimen> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new PouringSpecimen(server)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  get openConnections(): number {
    return this.#sockets.size
  }

  get complaints(): readonly string[] {
    return this.#mostPoured > MOST_BYTES ? [`${this.#mostPoured} bytes of the body were taken`] : []
  }

  forget(): void {}

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }
}

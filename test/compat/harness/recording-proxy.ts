import { once } from 'node:events'
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { ServerCertificate } from '@hookline/testing/network/certificates'
import { type Exchange, exchangesOf } from './exchanges.ts'
import type { RecordedConnection } from './recorded-connection.ts'

/**
 * A proxy between a library and the service. It forwards and records every byte, and forwards half-closes. While the service is
 * unavailable, it responds with 503, as a load balancer does.
 */
export class RecordingProxy implements AsyncDisposable {
  readonly #connections: RecordedConnection[] = []
  readonly #sockets = new Set<Socket>()
  readonly #servicePort: number
  readonly #server: Server
  readonly #unavailable: HttpServer
  readonly #isTls: boolean
  #isAvailable = true

  private constructor(servicePort: number, unavailable: HttpServer, tls?: ServerCertificate) {
    this.#servicePort = servicePort
    this.#unavailable = unavailable
    this.#isTls = tls !== undefined
    const options = { allowHalfOpen: true }
    this.#server =
      tls === undefined ? createServer(options) : createTlsServer({ ...options, ...tls })
    this.#server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) =>
      this.#pass(socket),
    )
    // The library may refuse the certificate, and reports that itself.
    this.#server.on('tlsClientError', () => {})
  }

  static async open(servicePort: number, tls?: ServerCertificate): Promise<RecordingProxy> {
    const unavailable = createHttpServer((request, response) => {
      request.resume().on('end', () => {
        response
          .writeHead(503, { 'Content-Type': 'text/html', Connection: 'close' })
          .end('<h1>Service Unavailable</h1>')
      })
    })
    const proxy = new RecordingProxy(servicePort, unavailable, tls)
    for (const server of [unavailable, proxy.#server]) {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
    }
    return proxy
  }

  get url(): string {
    return `${this.#isTls ? 'https' : 'http'}://127.0.0.1:${portOf(this.#server)}`
  }

  /** Every request so far with its response, ordered by connection. */
  exchanges(): readonly Exchange[] {
    return this.#connections.flatMap(exchangesOf)
  }

  /**
   * Sends new connections to the service, or to a server that responds with 503. Connections to the
   * service are closed when it becomes unavailable; connections to the other server close after
   * their response.
   */
  setAvailable(isAvailable: boolean): void {
    this.#isAvailable = isAvailable
    if (isAvailable) return
    for (const socket of this.#sockets) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#unavailable.closeAllConnections()
    for (const server of [this.#server, this.#unavailable]) {
      server.close()
      await once(server, 'close')
    }
  }

  #pass(socket: Socket): void {
    const isToService = this.#isAvailable
    const port = isToService ? this.#servicePort : portOf(this.#unavailable)
    const upstream = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const recorded: RecordedConnection = { isToService, sent: [], received: [] }
    this.#connections.push(recorded)
    socket.on('data', (chunk: Buffer) => recorded.sent.push(chunk))
    upstream.on('data', (chunk: Buffer) => recorded.received.push(chunk))
    joinTo(socket, upstream)
    joinTo(upstream, socket)
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
  }
}

/** Forwards data, half-closes and connection errors. */
function joinTo(from: Socket, to: Socket): void {
  from.pipe(to)
  from.on('error', () => to.destroy())
  from.on('close', () => to.destroySoon())
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { ServerCertificate } from './certificates.ts'

/** Connect to the receiver, respond with a status, close the connection, or do nothing. */
export type ProxyBehaviour = 'connect' | 'close' | 'silence' | number

export interface ProxyOptions {
  readonly tls?: ServerCertificate
  readonly behaviour?: ProxyBehaviour
}

interface ConnectRequest {
  /** `host:port` as the client sent it. */
  readonly authority: string
  readonly headers: IncomingHttpHeaders
}

/** An HTTP proxy on loopback that supports CONNECT. Records the requests, and connects to this machine for any host. */
export class Proxy implements AsyncDisposable {
  readonly requests: ConnectRequest[] = []
  /** Requests other than CONNECT. */
  others = 0
  connections = 0
  behaviour: ProxyBehaviour
  readonly #isTls: boolean
  readonly #server
  readonly #sockets = new Set<Socket>()
  readonly #clients = new Set<Socket>()

  private constructor({ tls, behaviour = 'connect' }: ProxyOptions) {
    this.behaviour = behaviour
    this.#isTls = tls !== undefined
    this.#server = tls === undefined ? createServer() : createTlsServer({ ...tls })
    this.#server.on('connection', (socket: Socket) => {
      this.connections += 1
      this.#clients.add(socket)
      socket.once('close', () => this.#clients.delete(socket))
      this.#keep(socket)
    })
    this.#server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) =>
      this.#take(request, socket, head),
    )
    this.#server.on('request', (_request, response) => {
      this.others += 1
      response.writeHead(400).end()
    })
    this.#server.on('tlsClientError', () => {})
  }

  static async open(options: ProxyOptions = {}): Promise<Proxy> {
    const proxy = new Proxy(options)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  /** @param credentials `user:password` */
  url(credentials = ''): string {
    const { port } = this.#server.address() as AddressInfo
    const at = credentials === '' ? '' : `${credentials}@`
    return this.#isTls ? `https://${at}localhost:${port}` : `http://${at}127.0.0.1:${port}`
  }

  get openConnections(): number {
    return this.#clients.size
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #take({ url = '', headers }: IncomingMessage, socket: Socket, head: Buffer): void {
    this.#keep(socket)
    this.requests.push({ authority: url, headers })
    if (this.behaviour === 'close') socket.destroy()
    else if (typeof this.behaviour === 'number')
      socket.end(`HTTP/1.1 ${this.behaviour} Refused\r\nContent-Length: 2\r\n\r\nno`)
    else if (this.behaviour === 'connect') this.#connect(url, socket, head)
  }

  #connect(authority: string, socket: Socket, head: Buffer): void {
    const receiver = connect(Number(/\d+$/.exec(authority)?.[0]), '127.0.0.1')
    this.#keep(receiver)
    receiver.on('close', () => socket.destroy())
    socket.on('close', () => receiver.destroy())
    receiver.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      receiver.write(head)
      socket.pipe(receiver).pipe(socket)
    })
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
  }
}

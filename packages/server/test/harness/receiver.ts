import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type Answer, giveAnswer } from './receiver-answer.ts'
import type { ServerCertificate } from './certificates.ts'

export interface ReceivedRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Says how a request is answered; a promise delays the answer. `index` counts requests, from 0. */
export type Respond = (request: ReceivedRequest, index: number) => Answer | Promise<Answer>

export interface ReceiverOptions {
  readonly tls?: ServerCertificate
  /** In place of any that is free. */
  readonly port?: number
  /** An answer to all, a queue whose last one stays, or a function. Default: 200 with an empty body. */
  readonly respond?: Answer | readonly Answer[] | Respond
}

/** A server that webhooks point at: records what it gets, and answers as it is told. On loopback, any free port. */
export class Receiver implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = []
  /** TCP connections accepted so far. */
  connections = 0
  /** Bytes that came over connections that are closed by now. */
  bytesReceived = 0
  /** May be replaced at any time. */
  respond: Respond
  readonly #isTls: boolean
  readonly #wantedPort: number
  readonly #sockets = new Set<Socket>()
  readonly #server
  readonly #waiting = new Set<() => void>()

  constructor({ tls, port = 0, respond = 200 }: ReceiverOptions) {
    this.#wantedPort = port
    this.respond = asFunction(respond)
    this.#isTls = tls !== undefined
    this.#server = tls === undefined ? createServer() : createTlsServer({ ...tls })
    this.#server.on('connection', (socket: Socket) => this.#accept(socket))
    this.#server.on('request', (incoming, response) => {
      // A request that broke off is none.
      this.#take(incoming, response).catch(() => response.destroy())
    })
    // A client that breaks off the handshake, or sends no HTTP, is for the test to notice.
    this.#server.on('clientError', (_error: Error, socket: Socket) => socket.destroy())
    this.#server.on('tlsClientError', () => {})
  }

  async listen(): Promise<this> {
    this.#server.listen(this.#wantedPort, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** With `localhost` for TLS, `127.0.0.1` else. */
  get url(): string {
    return this.#isTls
      ? `https://localhost:${this.port}/hook`
      : `http://127.0.0.1:${this.port}/hook`
  }

  /** Connections that are open now. */
  get openConnections(): number {
    return this.#sockets.size
  }

  /** The requests, as soon as there are this many. */
  waitFor(count: number): Promise<readonly ReceivedRequest[]> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.requests.length < count) return
        this.#waiting.delete(check)
        resolve(this.requests)
      }
      this.#waiting.add(check)
      check()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await received(incoming)
    const index = this.requests.push(request) - 1
    for (const check of this.#waiting) check()
    giveAnswer(await this.respond(request, index), response)
  }

  #accept(socket: Socket): void {
    this.connections += 1
    this.#sockets.add(socket)
    socket.on('close', () => {
      this.bytesReceived += socket.bytesRead
      this.#sockets.delete(socket)
    })
    // What the other side does to the connection is what the test is about.
    socket.on('error', () => {})
  }
}

export function openReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  return new Receiver(options).listen()
}

function asFunction(respond: Answer | readonly Answer[] | Respond): Respond {
  if (typeof respond === 'function') return respond
  const answers = Array.isArray(respond) ? (respond as readonly Answer[]) : [respond as Answer]
  return (_request, index) => answers[Math.min(index, answers.length - 1)] ?? 200
}

async function received(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const { method = '', url = '', headers } = incoming
  return { method, path: url, headers, body: Buffer.concat(chunks) }
}

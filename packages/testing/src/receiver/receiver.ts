import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { type ReceiverResponse, respondWith } from './receiver-response.ts'
import type { ServerCertificate } from '../network/certificates.ts'

export interface ReceivedRequest {
  readonly method: string
  /** The path with the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The common name of the client certificate. */
  readonly client?: string
}

/** Returns the response to a request; a promise delays it. `index`: the number of the request, from 0. */
export type Respond = (
  request: ReceivedRequest,
  index: number,
) => ReceiverResponse | Promise<ReceiverResponse>

export interface ReceiverOptions {
  readonly tls?: ServerCertificate
  /** With `tls`, the authority of the client certificates that it requires. */
  readonly clientCa?: string
  /** The port; by default, any free port. */
  readonly port?: number
  /** One response to all requests, a list whose last response repeats, or a function. By default 200 with an empty body. */
  readonly respond?: ReceiverResponse | readonly ReceiverResponse[] | Respond
}

/** A receiver on loopback that records requests and sends the configured responses. */
export class Receiver implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = []
  connections = 0
  /** Bytes received on connections that are now closed. */
  bytesReceived = 0
  /** Can be replaced at any time. */
  respond: Respond
  readonly #isTls: boolean
  readonly #wantedPort: number
  readonly #sockets = new Set<Socket>()
  readonly #server
  readonly #waiting = new Set<() => void>()

  constructor({ tls, clientCa, port = 0, respond = 200 }: ReceiverOptions) {
    this.#wantedPort = port
    this.respond = asFunction(respond)
    this.#isTls = tls !== undefined
    this.#server =
      tls === undefined ? createServer() : createTlsServer({ ...tls, ...requiring(clientCa) })
    this.#server.on('connection', (socket: Socket) => this.#accept(socket))
    this.#server.on('request', (incoming, response) => {
      // Incomplete requests are not recorded.
      this.#take(incoming, response).catch(() => response.destroy())
    })
    // Tests use clients that abort the handshake or do not speak HTTP.
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

  /** Its host is `localhost` with TLS, and `127.0.0.1` without. */
  get url(): string {
    return this.#isTls
      ? `https://localhost:${this.port}/hook`
      : `http://127.0.0.1:${this.port}/hook`
  }

  get openConnections(): number {
    return this.#sockets.size
  }

  /** Resolves with the requests as soon as there are this many. */
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
    respondWith(await this.respond(request, index), response)
  }

  #accept(socket: Socket): void {
    this.connections += 1
    this.#sockets.add(socket)
    socket.on('close', () => {
      this.bytesReceived += socket.bytesRead
      this.#sockets.delete(socket)
    })
    // Tests provoke connection errors.
    socket.on('error', () => {})
  }
}

export function openReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  return new Receiver(options).listen()
}

/** The same responses, but a bare success status gets the body that the service sends. */
export function asService(respond: NonNullable<ReceiverOptions['respond']>): Respond {
  const respondTo = asFunction(respond)
  return async (request, index) => {
    const response = await respondTo(request, index)
    const isOk = typeof response === 'number' && response >= 200 && response < 300
    return isOk ? { status: response, body: '{"success":true}' } : response
  }
}

function asFunction(respond: ReceiverResponse | readonly ReceiverResponse[] | Respond): Respond {
  if (typeof respond === 'function') return respond
  const responses = Array.isArray(respond)
    ? (respond as readonly ReceiverResponse[])
    : [respond as ReceiverResponse]
  return (_request, index) => responses[Math.min(index, responses.length - 1)] ?? 200
}

function requiring(clientCa: string | undefined) {
  return clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }
}

async function received(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const { method = '', url = '', headers, socket } = incoming
  const name = socket instanceof TLSSocket ? socket.getPeerCertificate().subject?.CN : undefined
  const request = { method, path: url, headers, body: Buffer.concat(chunks) }
  return typeof name === 'string' ? { ...request, client: name } : request
}

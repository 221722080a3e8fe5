import { LIMITS, newId } from '@hookline/protocol'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Catalog } from '../backend/catalog.ts'
import type {
  ActivityListener,
  DeliveryActivity,
  PurgeActivity,
} from '../telemetry/activity-listener.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Clock } from '../util/time/clock.ts'
import { listenOnLoopback } from '../util/listen-on-loopback.ts'
import { pause } from '../util/time/pause.ts'
import { type Answers, FIRST_ANSWERS, statusFor } from './answers.ts'
import {
  attemptIn,
  deliveryIdIn,
  eventIn,
  headersOf,
  type InspectedRequest,
} from './inspected-request.ts'
import { KeptRequests } from './kept-requests.ts'
import { signatureOf } from './signature-of.ts'

/** Each takes a file of the process. More at once are closed, and their attempts repeated. */
const MOST_CONNECTIONS = 64

export interface InspectorOptions {
  readonly clock: Clock
  readonly catalog: Pick<Catalog, 'current'>
  readonly logger: Logger
  /** Called for each request before the response. */
  readonly onInspected?: ((request: InspectedRequest) => void) | undefined
}

/**
 * The receiver that the service has inside: it listens on a port of loopback, takes the connections of the sender
 * alone, keeps the last requests as they came, checks their signatures, and responds as it is told.
 */
export class Inspector implements Pick<ActivityListener, 'recorded' | 'purged'>, AsyncDisposable {
  readonly requests = new KeptRequests()
  /** What it responds from now on. */
  answers: Answers = FIRST_ANSWERS
  readonly #options: InspectorOptions
  readonly #closing = new AbortController()
  /** The local ports of the connections that the sender has opened. */
  readonly #admitted = new Set<number>()
  readonly #server = createServer((incoming, response) => {
    this.#take(incoming, response).catch((error: unknown) => {
      this.#options.logger.error({ err: error }, 'inspector.failed')
      response.destroy()
    })
  })

  constructor(options: InspectorOptions) {
    this.#options = options
    this.#server.maxConnections = MOST_CONNECTIONS
  }

  /** Listens on a free port of loopback. */
  async listen(): Promise<this> {
    await listenOnLoopback(this.#server)
    return this
  }

  /** Where it listens. */
  get address(): { readonly host: string; readonly port: number } {
    const { address: host, port } = this.#server.address() as AddressInfo
    return { host, port }
  }

  /**
   * Takes the requests of a connection that this process has opened. Other programs of this machine, and pages in their
   * browsers, can open connections too: they get 421, and nothing of them is kept.
   */
  admit(localPort: number): void {
    this.#admitted.add(localPort)
  }

  /** A connection from this port is closed. */
  dismiss(localPort: number): void {
    this.#admitted.delete(localPort)
  }

  recorded({ delivery }: DeliveryActivity): void {
    this.requests.belongs(delivery.id, delivery.destinationId)
  }

  purged(purge: PurgeActivity): void {
    this.requests.purge(purge, this.#options.clock.wall())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#isAdmitted(incoming.socket)) return refuse(response, 421)
    const receivedAt = this.#options.clock.wall()
    const body = await bodyOf(incoming)
    if (body === 'aborted') return
    if (body === 'too large') return refuse(response, 413)
    const request = this.#inspected(incoming, body, receivedAt)
    this.requests.add(request)
    this.#options.onInspected?.(request)
    await this.#respond(request, response)
  }

  #isAdmitted({ remoteAddress, remotePort }: Socket): boolean {
    // Another address of loopback can have the same port.
    return remoteAddress === this.address.host && this.#admitted.has(remotePort ?? 0)
  }

  #inspected(
    { method = '', url: path = '', headers, rawHeaders }: IncomingMessage,
    body: Buffer,
    receivedAt: number,
  ): InspectedRequest {
    const text = body.toString()
    const destinations = this.#options.catalog.current.destinations.values()
    const attempt = attemptIn(headers['x-hookline-attempt'])
    const { delayMs } = this.answers
    return {
      id: newId('req', receivedAt),
      receivedAt,
      method,
      path,
      headers: headersOf(rawHeaders),
      body,
      event: eventIn(text),
      deliveryId: deliveryIdIn(headers['webhook-id']),
      attempt,
      ...signatureOf({ path, headers, body: text }, destinations, receivedAt),
      response: { status: statusFor(this.answers, attempt), delayMs, isSent: false },
    }
  }

  async #respond(
    { id, response: { status, delayMs } }: InspectedRequest,
    response: ServerResponse,
  ): Promise<void> {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const end = AbortSignal.any([gone.signal, this.#closing.signal])
    if (delayMs > 0) await pause(this.#options.clock, delayMs, end)
    if (end.aborted) return
    response.writeHead(status).end()
    this.requests.sent(id)
  }
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end()
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer | 'too large' | 'aborted'> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > LIMITS.payloadBytes) return 'too large'
      chunks.push(chunk)
    }
  } catch {
    return 'aborted'
  }
  return Buffer.concat(chunks)
}

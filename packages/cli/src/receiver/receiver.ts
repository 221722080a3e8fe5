import { LIMITS, WEBHOOK_METHODS } from '@hookline/protocol'
import { checkSignature } from '@hookline/protocol/check-signature'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenFailure } from '../service/listen-failure.ts'
import {
  type ReceivedDelivery,
  receivedDelivery,
  type ReceivedRequest,
} from './received-delivery.ts'
import { type PlannedFault, ResponsePlan } from './response-plan.ts'

export interface ReceiverOptions {
  readonly host?: string
  /** 0 for a free port. */
  readonly port: number
  /** A shared secret or a public key. Without one, signatures are not checked. */
  readonly secret?: string | undefined
  readonly fault?: PlannedFault | undefined
  readonly delayMs?: number | undefined
  /** Called before the response. */
  readonly onDelivery: (delivery: ReceivedDelivery, request: ReceivedRequest) => void
}

/** A webhook server that checks signatures, reports deliveries, and fails on demand. */
export class Receiver implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    // The request was aborted.
    this.#receive(request, response).catch(() => response.destroy())
  })
  readonly #options: ReceiverOptions
  readonly #plan: ResponsePlan
  readonly #closing = new AbortController()

  constructor(options: ReceiverOptions) {
    this.#options = options
    this.#plan = new ResponsePlan(options.fault)
  }

  /** @throws {Failure} if the port is not available */
  async listen(): Promise<this> {
    const { host = '127.0.0.1', port } = this.#options
    this.#server.listen(port, host)
    try {
      await once(this.#server, 'listening')
    } catch (error) {
      throw listenFailure(error, { host, port }) ?? error
    }
    return this
  }

  get url(): string {
    const { address, family, port } = this.#server.address() as AddressInfo
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!WEBHOOK_METHODS.some((method) => method === incoming.method)) {
      const allow = WEBHOOK_METHODS.join(', ')
      response.writeHead(405, { allow }).end(`This receiver only accepts ${allow}.\n`)
      return
    }
    const body = await bodyOf(incoming)
    if (body === undefined) {
      response.writeHead(413, { connection: 'close' }).end()
      return
    }
    const { secret, delayMs = 0, onDelivery } = this.#options
    const responseStatus = this.#plan.next()
    const request = { headers: incoming.headers, body }
    const nowMs = Date.now()
    const signature = checkSignature(request, secret, nowMs)
    onDelivery(receivedDelivery(request, { signature, nowMs, responseStatus }), request)
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: this.#closing.signal })
    response.writeHead(responseStatus).end()
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > LIMITS.payloadBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

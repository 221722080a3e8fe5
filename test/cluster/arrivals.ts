import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A deletion notice, as a receiver gets it. */
export interface ArrivedNotice {
  readonly path: string
  readonly webhookId: string
  readonly userId: string
}

interface ArrivedCall {
  readonly type: string
  readonly userId: string
  readonly messageId: string
}

const FAILING = 0.02

/** Receives webhooks on any path, answers some first attempts with 500, and records when it accepted each call. */
export class Arrivals implements AsyncDisposable {
  readonly notices: ArrivedNotice[] = []
  /** The number of accepted requests that were repeats. */
  duplicates = 0
  /** The messageIds of repeats with a different `webhook-id`: receivers could not recognise them. */
  readonly renamed: string[] = []
  readonly #server: Server
  readonly #random: () => number
  /** When each messageId was first accepted, in ms of `performance.now`. */
  readonly #firstAt = new Map<string, number>()
  /** By messageId. */
  readonly #webhookIds = new Map<string, string>()
  readonly #listeners = new Set<() => void>()

  private constructor(server: Server, random: () => number) {
    this.#server = server
    this.#random = random
    // A killed sender leaves an incomplete request.
    server.on('clientError', (_error, socket) => socket.destroy())
    server.on('request', (request, response) => {
      this.#take(request, response).catch(() => response.destroy())
    })
  }

  static async open(random: () => number): Promise<Arrivals> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Arrivals(server, random)
  }

  urlOf(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${path}`
  }

  firstAt(messageId: string): number | undefined {
    return this.#firstAt.get(messageId)
  }

  /** When calls were first accepted, in order. */
  times(): readonly number[] {
    return [...this.#firstAt.values()]
  }

  /** The messageIds that were never accepted. */
  missing(messageIds: Iterable<string>): string[] {
    return [...messageIds].filter((id) => !this.#firstAt.has(id))
  }

  /** Resolves to true once the condition, checked after each arrival, holds; to false if `signal` aborts first. */
  async until(condition: () => boolean, signal: AbortSignal): Promise<boolean> {
    while (!condition()) {
      if (signal.aborted) return false
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = (): void => resolve()
      this.#listeners.add(wake)
      signal.addEventListener('abort', wake, { once: true })
      await promise
      this.#listeners.delete(wake)
      signal.removeEventListener('abort', wake)
    }
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.headers['x-hookline-attempt'] === '1' && this.#random() < FAILING)
      return void response.writeHead(500).end()
    const call = JSON.parse(Buffer.concat(chunks).toString()) as ArrivedCall
    const webhookId = String(request.headers['webhook-id'])
    if (call.type === 'delete')
      this.notices.push({ path: request.url!.slice(1), webhookId, userId: call.userId })
    else this.#arrived(call, webhookId)
    response.writeHead(200).end()
  }

  #arrived({ messageId }: ArrivedCall, webhookId: string): void {
    if (this.#firstAt.has(messageId)) {
      this.duplicates++
      if (this.#webhookIds.get(messageId) !== webhookId) this.renamed.push(messageId)
    } else {
      this.#firstAt.set(messageId, performance.now())
      this.#webhookIds.set(messageId, webhookId)
    }
    for (const wake of this.#listeners) wake()
  }
}

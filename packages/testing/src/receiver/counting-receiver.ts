import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CountingReceiverOptions {
  /** Random numbers, uniform over [0, 1). */
  readonly random: () => number
  /** The share of first attempts that get a 500. */
  readonly failing: number
}

/** Receives webhooks on any path, and counts how often each path has accepted each messageId. */
export class CountingReceiver implements AsyncDisposable {
  /** While true, the receiver drops every connection. */
  isDown = false
  readonly #options: CountingReceiverOptions
  readonly #server: Server
  readonly #times = new Map<string, Map<string, number>>()
  readonly #requests = new Map<string, number>()
  #refused = 0

  private constructor(server: Server, options: CountingReceiverOptions) {
    this.#server = server
    this.#options = options
    // A killed sender leaves an incomplete request.
    server.on('clientError', (_error, socket) => socket.destroy())
    server.on('request', (request, response) => {
      this.#take(request, response).catch(() => response.destroy())
    })
  }

  static async open(options: CountingReceiverOptions): Promise<CountingReceiver> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new CountingReceiver(server, options)
  }

  urlOf(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${path}`
  }

  /** The number of messageIds that a path has never accepted. */
  missing(path: string, messageIds: ReadonlySet<string>): number {
    const timesById = this.#times.get(`/${path}`)
    return messageIds.values().reduce((sum, id) => sum + (timesById?.has(id) ? 0 : 1), 0)
  }

  /** The number of accepted requests that were duplicates. */
  get duplicates(): number {
    const counts = [...this.#times.values()].flatMap((ofPath) => [...ofPath.values()])
    return counts.reduce((sum, times) => sum + times - 1, 0)
  }

  /** The number of requests that a path received, regardless of the response. */
  requestsTo(path: string): number {
    return this.#requests.get(`/${path}`) ?? 0
  }

  /** The number of requests that got a 500 or no response. */
  get refused(): number {
    return this.#refused
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    this.#requests.set(request.url!, (this.#requests.get(request.url!) ?? 0) + 1)
    const { random, failing } = this.#options
    const fails = request.headers['x-hookline-attempt'] === '1' && random() < failing
    if (fails || this.isDown) {
      this.#refused++
      if (this.isDown) response.destroy()
      else response.writeHead(500).end()
      return
    }
    const { messageId } = JSON.parse(Buffer.concat(chunks).toString()) as { messageId: string }
    const ofPath = this.#times.get(request.url!) ?? new Map<string, number>()
    this.#times.set(request.url!, ofPath.set(messageId, (ofPath.get(messageId) ?? 0) + 1))
    response.writeHead(200).end()
  }
}

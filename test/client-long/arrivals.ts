import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What came of one call. */
interface Arrived {
  times: number
  readonly timestamp: string
}

/** A receiver that answers 200 and remembers of each call only what a test of very many can afford. */
export class Arrivals implements AsyncDisposable {
  /** By messageId. */
  readonly calls = new Map<string, Arrived>()
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      this.#add(Buffer.concat(chunks).toString())
      response.writeHead(200).end()
    })
  })

  async listen(): Promise<this> {
    // A sender that is killed leaves half a request behind.
    this.#server.on('clientError', (_error, socket) => socket.destroy())
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  #add(body: string): void {
    const { messageId, timestamp } = JSON.parse(body) as { messageId: string; timestamp: string }
    const known = this.calls.get(messageId)
    if (known === undefined) this.calls.set(messageId, { times: 1, timestamp })
    else known.times++
  }
}

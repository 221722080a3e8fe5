import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface ReceivedCall {
  times: number
  readonly timestamp: string
}

/** A receiver that responds with 200 and stores little of each call, for tests that send a very large number of calls. */
export class CallReceiver implements AsyncDisposable {
  /** By messageId. */
  readonly calls = new Map<string, ReceivedCall>()
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      this.#add(Buffer.concat(chunks).toString())
      response.writeHead(200).end()
    })
  })

  async listen(): Promise<this> {
    // A killed sender leaves an incomplete request.
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

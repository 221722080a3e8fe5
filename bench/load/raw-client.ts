import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawClientOptions {
  /** Several ports are assigned to the connections in turn. */
  readonly port: number | readonly number[]
  readonly connections: number
  /** Returns the next complete request for a free connection; undefined if the connection must wait for `poke`. */
  readonly next: () => Buffer | undefined
}

interface Connection {
  readonly socket: Socket
  received: Buffer
}

/**
 * A minimal HTTP client, so that the benchmark measures mostly the server: requests are built in advance, each connection
 * sends one at a time, and Content-Length delimits the responses.
 */
export class RawClient implements AsyncDisposable {
  readonly #next: () => Buffer | undefined
  #connections: Connection[] = []
  #free: Connection[] = []
  /** The length of the last response, to recognise one of equal length without parsing it. */
  #usualLength = -1
  #onIdle = (): void => undefined
  #failure: Error | undefined

  private constructor(next: () => Buffer | undefined) {
    this.#next = next
  }

  /** Connects. The first `poke` sends the first requests. */
  static async open({ port, connections, next }: RawClientOptions): Promise<RawClient> {
    const client = new RawClient(next)
    const ports = [port].flat()
    const opening = Array.from({ length: connections }, async (_, index) => {
      const socket = connect(ports[index % ports.length]!, '127.0.0.1').setNoDelay(true)
      await once(socket, 'connect')
      const connection: Connection = { socket, received: NOTHING }
      socket.on('data', (chunk: Buffer) => client.#receive(connection, chunk))
      socket.on('error', (error) => client.#fail(error))
      return connection
    })
    client.#connections = await Promise.all(opening)
    client.#free = [...client.#connections]
    return client
  }

  /**
   * Sends a request on each free connection while `next` returns one. Rotates among them at low
   * rates, because servers close unused connections.
   */
  poke(): void {
    for (let left = this.#free.length; left > 0; left--) {
      const request = this.#next()
      if (request === undefined) return
      this.#free.shift()!.socket.write(request)
    }
  }

  /** Resolves when every request has its response. Rejects if one was not 200. */
  async idle(): Promise<void> {
    while (this.#free.length < this.#connections.length && this.#failure === undefined) {
      await new Promise<void>((resolve) => (this.#onIdle = resolve))
    }
    if (this.#failure !== undefined) throw this.#failure
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.#connections) socket.destroy()
  }

  #receive(connection: Connection, chunk: Buffer): void {
    if (!this.#isUsual(connection, chunk)) {
      connection.received = Buffer.concat([connection.received, chunk])
      const end = endOfResponse(connection.received)
      if (end === undefined || connection.received.length < end) return
      if (!isOk(connection.received)) {
        this.#fail(new Error(`The server responded with ${connection.received.toString()}`))
        return
      }
      this.#usualLength = end
      connection.received = NOTHING
    }
    const request = this.#next()
    if (request !== undefined) {
      connection.socket.write(request)
      return
    }
    this.#free.push(connection)
    if (this.#free.length === this.#connections.length) this.#onIdle()
  }

  /** Whether the chunk is one complete response with the length of the previous one. */
  #isUsual({ received }: Connection, chunk: Buffer): boolean {
    return received.length === 0 && chunk.length === this.#usualLength && isOk(chunk)
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#onIdle()
  }
}

const NOTHING = Buffer.alloc(0)
const ZERO = 0x30
const TWO = 0x32

/** `HTTP/1.1 200`: the digits of the status are at fixed offsets. */
function isOk(response: Buffer): boolean {
  return response[9] === TWO && response[10] === ZERO && response[11] === ZERO
}

function endOfResponse(received: Buffer): number | undefined {
  const head = received.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const length = /content-length: (\d+)/i.exec(received.toString('latin1', 0, head))
  if (length === null) throw new Error('The response has no Content-Length.')
  return head + 4 + Number(length[1])
}

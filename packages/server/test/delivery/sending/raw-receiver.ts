import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { nextTurn } from '../../../src/util/time/clock.ts'

/** How a raw receiver handles a connection. */
export interface RawAnswer {
  /** Written unchanged, valid HTTP or not. Pieces are written in order. */
  readonly bytes: string | Buffer | readonly Buffer[]
  /** Whether it waits for the end of the request, which must be a JSON object. True by default. */
  readonly waits?: boolean
  /** How it ends the connection afterwards. By default, the connection stays open. */
  readonly after?: 'end' | 'reset'
}

/** A receiver on loopback that answers every request on a connection with bytes. */
export class RawReceiver implements AsyncDisposable {
  /** A test may replace it at any time. */
  answer: RawAnswer
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(answer: RawAnswer) {
    this.answer = answer
    this.#server = createServer((socket) => this.#serve(socket, this.answer))
  }

  static async open(answer: RawAnswer): Promise<RawReceiver> {
    const receiver = new RawReceiver(answer)
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #serve(socket: Socket, { bytes, waits = true, after }: RawAnswer): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    // The sender may close connections at any time, as these tests require.
    socket.on('error', () => undefined)
    socket.setNoDelay(true)
    const answer = async (): Promise<void> => {
      for (const piece of Array.isArray(bytes) ? bytes : [bytes]) {
        await new Promise((resolve) => socket.write(piece, resolve))
        await nextTurn()
      }
      if (after === 'end') socket.end()
      if (after === 'reset') socket.resetAndDestroy()
    }
    if (!waits) void answer()
    socket.on('data', (chunk: Buffer) => {
      if (waits && chunk.at(-1) === CLOSING_BRACE) void answer()
    })
  }
}

const CLOSING_BRACE = '}'.charCodeAt(0)

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** The directions that a cut affects. */
export type LinkCut = 'there' | 'back' | 'both'

/**
 * A TCP proxy that a test can cut. Bytes sent in a cut direction, and the close of a connection, arrive once the link
 * is restored.
 */
export class Link implements AsyncDisposable {
  readonly #server: Server
  readonly #targetPort: number
  readonly #sockets = new Set<Socket>()
  readonly #flows = new Set<Flow>()
  #cut: LinkCut | undefined

  private constructor(server: Server, targetPort: number) {
    this.#server = server
    this.#targetPort = targetPort
    server.on('connection', (client) => this.#connect(client))
  }

  static async open(targetPort: number): Promise<Link> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Link(server, targetPort)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  urlOf(serverUrl: string): string {
    const url = new URL(serverUrl)
    url.port = String(this.port)
    return url.href
  }

  cut(cut: LinkCut): void {
    this.#cut = cut
    for (const flow of this.#flows) flow.isCut = this.#isCut(flow.direction)
  }

  repair(): void {
    this.#cut = undefined
    for (const flow of this.#flows) flow.isCut = false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #connect(client: Socket): void {
    const target = connect(this.#targetPort, '127.0.0.1')
    this.#forward({ from: client, to: target, direction: 'there' })
    this.#forward({ from: target, to: client, direction: 'back' })
  }

  #forward({ from, to, direction }: FlowOptions): void {
    const flow = new Flow(from, to, direction)
    flow.isCut = this.#isCut(direction)
    this.#flows.add(flow)
    this.#sockets.add(from)
    // A killed process resets its connections, which the other side sees as a close.
    from.on('error', () => undefined)
    from.on('close', () => {
      this.#sockets.delete(from)
      flow.end(() => this.#flows.delete(flow))
    })
  }

  #isCut(direction: Direction): boolean {
    return this.#cut === 'both' || this.#cut === direction
  }
}

type Direction = 'there' | 'back'

interface FlowOptions {
  readonly from: Socket
  readonly to: Socket
  readonly direction: Direction
}

class Flow {
  readonly direction: Direction
  readonly #from: Socket
  readonly #to: Socket
  #isCut = false
  #isFull = false
  #onEnded: (() => void) | undefined

  constructor(from: Socket, to: Socket, direction: Direction) {
    this.direction = direction
    this.#from = from
    this.#to = to
    from.on('data', (data) => {
      this.#isFull = !to.write(data)
      this.#resumeOrPause()
    })
    to.on('drain', () => {
      this.#isFull = false
      this.#resumeOrPause()
    })
  }

  set isCut(isCut: boolean) {
    this.#isCut = isCut
    this.#resumeOrPause()
    this.#closeUnlessCut()
  }

  end(onEnded: () => void): void {
    this.#onEnded = onEnded
    this.#closeUnlessCut()
  }

  #resumeOrPause(): void {
    if (this.#isCut || this.#isFull) this.#from.pause()
    else this.#from.resume()
  }

  #closeUnlessCut(): void {
    if (this.#isCut || this.#onEnded === undefined) return
    this.#to.destroySoon()
    this.#onEnded()
  }
}

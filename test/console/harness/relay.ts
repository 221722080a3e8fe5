import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Simulates an unreliable proxy or network between a browser and the service. */
export class Relay implements AsyncDisposable {
  readonly #target: number
  readonly #sockets = new Set<Socket>()
  /** Sockets of connections to the service. */
  readonly #services = new Set<Socket>()
  readonly #server
  #isUp = true
  #bytesLeft = Infinity

  private constructor(target: number) {
    this.#target = target
    this.#server = createServer((browser) => this.#join(browser))
  }

  /** @param url of the service */
  static async open(url: string): Promise<Relay> {
    const relay = new Relay(Number(new URL(url).port))
    relay.#server.listen(0, '127.0.0.1')
    await once(relay.#server, 'listening')
    return relay
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Resets all connections, current and new, until `restore()`. */
  cut(): void {
    this.#isUp = false
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  restore(): void {
    this.#isUp = true
    this.#bytesLeft = Infinity
    for (const socket of this.#services) socket.resume()
  }

  /**
   * Stops data to the browser without closing connections, as if the browser read nothing.
   * `restore()` resumes it.
   */
  hold(): void {
    for (const socket of this.#services) socket.pause()
  }

  /** Closes all current connections after this many bytes to the browser. */
  cutAfter(bytes: number): void {
    this.#bytesLeft = bytes
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #join(browser: Socket): void {
    if (!this.#isUp) return void browser.resetAndDestroy()
    const service = connect(this.#target, '127.0.0.1')
    for (const [socket, other] of [
      [browser, service],
      [service, browser],
    ] as const) {
      this.#sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        this.#sockets.delete(socket)
        other.destroy()
      })
    }
    this.#services.add(service)
    service.on('close', () => this.#services.delete(service))
    browser.pipe(service)
    service.on('data', (chunk) => this.#pass(chunk, browser))
  }

  #pass(chunk: Buffer, browser: Socket): void {
    browser.write(chunk.subarray(0, this.#bytesLeft))
    this.#bytesLeft -= chunk.length
    if (this.#bytesLeft > 0) return
    this.#bytesLeft = Infinity
    // Sends buffered data first, so that the browser gets part of a message.
    for (const socket of this.#sockets) socket.destroySoon()
  }
}

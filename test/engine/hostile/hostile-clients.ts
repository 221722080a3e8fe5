import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

const ESTABLISHED = '01'

/** Connections that send these bytes and then neither read nor close. Disposing them closes them. */
export class HostileClients implements Disposable {
  readonly #sockets: readonly Socket[]
  readonly #ports: ReadonlySet<number>

  static async open(port: number, count: number, bytes: string | Buffer): Promise<HostileClients> {
    const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').pause())
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    const clients = new HostileClients(sockets)
    for (const socket of sockets) {
      // The service may reset the connection at any moment.
      socket.on('error', () => undefined)
      socket.write(bytes)
    }
    return clients
  }

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets
    this.#ports = new Set(sockets.map(({ localPort }) => localPort!))
  }

  /** Connections that the service has not closed. A client that reads nothing does not see it, so the kernel is asked. */
  get openConnections(): number {
    const [, ...lines] = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n')
    const connections = lines.map((line) => line.trim().split(/\s+/))
    return connections.filter(
      ([, , remote = '', state]) =>
        state === ESTABLISHED && this.#ports.has(Number.parseInt(remote.split(':')[1]!, 16)),
    ).length
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { HostileSockets } from './hostile-sockets.ts'

const ESTABLISHED = '01'
/** Not used by healthy clients, whose connections might otherwise reuse an attacker's port. */
const localAddress = '127.0.0.66'
const LOCAL_ADDRESS_HEX = '4200007F'

/**
 * Connections that send these bytes and then neither read nor close or, with `again`, repeat them after each response. They run
 * in a dedicated thread, so that they do not delay the healthy clients that measure the service. Disposing closes them.
 */
export class HostileClients implements AsyncDisposable {
  readonly #thread: Worker
  readonly #port: number

  static async open(
    port: number,
    count: number,
    bytes: string | Uint8Array,
    { again = false } = {},
  ): Promise<HostileClients> {
    const workerData: HostileSockets = { port, localAddress, count, bytes, again }
    const thread = new Worker(new URL('hostile-sockets.ts', import.meta.url), { workerData })
    await once(thread, 'message')
    return new HostileClients(thread, port)
  }

  private constructor(thread: Worker, port: number) {
    this.#thread = thread
    this.#port = port
  }

  /** The number of connections with an unread response. */
  get answeredConnections(): number {
    const toService = this.#port.toString(16).toUpperCase().padStart(4, '0')
    return connections().filter(
      ([, local = '', remote = '', , queues = '']) =>
        local.startsWith(`${LOCAL_ADDRESS_HEX}:`) &&
        remote.endsWith(`:${toService}`) &&
        Number.parseInt(queues.split(':')[1]!, 16) > 0,
    ).length
  }

  /**
   * The number of connections that the service has not closed. Read from the kernel, because a
   * client that does not read is not notified.
   */
  get openConnections(): number {
    return connections().filter(
      ([, local = '', remote = '', state]) =>
        state === ESTABLISHED &&
        remote.startsWith(`${LOCAL_ADDRESS_HEX}:`) &&
        Number.parseInt(local.split(':')[1]!, 16) === this.#port,
    ).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.terminate()
  }
}

/** The fields of each line in /proc/net/tcp: number, local and remote address, state, queues and more. */
function connections(): readonly string[][] {
  const [, ...lines] = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n')
  return lines.map((line) => line.trim().split(/\s+/))
}

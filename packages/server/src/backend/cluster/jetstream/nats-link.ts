import {
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { BackendUnavailable } from '../../backend.ts'
import { natsRefusal } from './refusal.ts'
import { type NatsOptions, natsConnectionOptions } from './nats-options.ts'

/** Smaller messages could not have the largest event. */
const LEAST_PAYLOAD_BYTES = 1024 * 1024

/**
 * The connection to NATS. While it is broken, it connects again and again, until it is closed; `connected` waits for that.
 */
export class NatsLink implements AsyncDisposable {
  readonly connection: NatsConnection
  readonly js: JetStreamClient
  readonly manager: JetStreamManager
  #isConnected = true
  readonly #listeners = new Set<() => void>()

  private constructor(connection: NatsConnection, manager: JetStreamManager) {
    this.connection = connection
    this.manager = manager
    this.js = jetstream(connection)
    void this.#watch()
  }

  static async open(options: NatsOptions): Promise<NatsLink> {
    try {
      const connection = await connect(natsConnectionOptions(options))
      const link = new NatsLink(connection, await jetstreamManager(connection, { checkAPI: false }))
      if (link.maxPayloadBytes >= LEAST_PAYLOAD_BYTES) return link
      await connection.close()
    } catch (error) {
      throw natsRefusal(error) ?? unavailable(error)
    }
    throw new RangeError(`NATS needs max_payload of at least ${LEAST_PAYLOAD_BYTES}.`)
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  /** Most bytes of a message, headers included, as the server says. */
  get maxPayloadBytes(): number {
    return this.connection.info?.max_payload ?? 1024 * 1024
  }

  /** Resolves when there is a connection, or `signal` aborts. */
  async connected(signal: AbortSignal): Promise<void> {
    if (this.#isConnected || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    const forget = this.onReconnected(wake)
    signal.addEventListener('abort', wake, { once: true })
    await promise
    signal.removeEventListener('abort', wake)
    forget()
  }

  /** Calls `listener` after each time that the connection was broken. Returns the function that ends it. */
  onReconnected(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close()
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'disconnect') this.#isConnected = false
      if (type !== 'reconnect') continue
      this.#isConnected = true
      for (const listener of this.#listeners) listener()
    }
  }
}

/** What a call that NATS could not answer rejects with. */
export function unavailable(error: unknown): BackendUnavailable {
  const reason = error instanceof Error ? error.message : String(error)
  return new BackendUnavailable(`NATS is unavailable: ${reason}`, { cause: error })
}

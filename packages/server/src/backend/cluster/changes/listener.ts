import { Socket } from 'node:net'
import pg from 'pg'
import type { Redacted } from '../../../util/secrets/redacted.ts'
import type { Clock } from '../../../util/time/clock.ts'
import { exponentialBackoffMs, pause } from '../../../util/time/pause.ts'
import { SCHEMA } from '../postgres/postgres.ts'

interface ListenerOptions {
  readonly url: Redacted
  readonly clock: Clock
  /** There is a notification, or one may have been missed. */
  readonly onNews: () => void
}

const CONNECT_TIMEOUT_MS = 5_000
/** Nothing says that a connection is dead on which only the other side speaks. */
const HEARTBEAT_MS = 15_000

/**
 * A connection of its own that listens, and connects again whenever it is lost:
 *
 *     connecting ─▶ listening, with a statement every 15 s ─ lost, or no answer ─▶ waiting ─▶ connecting …
 */
export class Listener implements AsyncDisposable {
  readonly #options: ListenerOptions
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  constructor(options: ListenerOptions) {
    this.#options = options
    this.#running = this.#run()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    for (let failures = 0; !signal.aborted;) {
      const hasListened = await this.#listen()
      failures = hasListened ? 1 : failures + 1
      await pause(this.#options.clock, exponentialBackoffMs(failures), signal)
    }
  }

  /** Resolves when the connection is over, to whether there was one. */
  async #listen(): Promise<boolean> {
    const { onNews } = this.#options
    const socket = new Socket()
    const client = this.#clientOn(socket)
    const lost = new AbortController()
    client.on('error', () => lost.abort()).on('end', () => lost.abort())
    client.on('notification', onNews)
    const over = AbortSignal.any([lost.signal, this.#stop.signal])
    // An orderly end would wait for a server that may be gone.
    over.addEventListener('abort', () => socket.destroy())
    let isListening = false
    try {
      await client.connect()
      await client.query(`LISTEN ${SCHEMA}`)
      isListening = true
      onNews()
      await this.#keepAlive(client, over)
    } catch {
      // The next connection may work. Until then, changes are looked for.
    }
    lost.abort()
    return isListening
  }

  async #keepAlive(client: pg.Client, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await pause(this.#options.clock, HEARTBEAT_MS, over)
      if (!over.aborted) await client.query('SELECT 1')
    }
  }

  #clientOn(socket: Socket): pg.Client {
    return new pg.Client({
      connectionString: this.#options.url.reveal(),
      stream: () => socket,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
      application_name: 'hookline',
    })
  }
}

import {
  jetstream,
  type JetStreamClient,
  jetstreamManager,
  type JetStreamManager,
} from '@nats-io/jetstream'
import {
  connect,
  type ConnectionOptions,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
} from '@nats-io/transport-node'
import type { Redacted } from '../../../util/secrets/redacted.ts'
import { BackendUnavailable } from '../../backend.ts'
import { ConnectionRefused, natsRefusal } from '../connection-refused.ts'

/** Earlier servers lose events that they have confirmed, or do not keep the metadata of a stream. */
const MIN_VERSION = '2.10.23'
/** Smaller messages could not have the largest event. */
const LEAST_PAYLOAD_BYTES = 1024 * 1024

/**
 * The connection to NATS. While it is broken, it connects again and again, until it is closed; `connected` waits for that.
 */
export class NatsLink implements AsyncDisposable {
  readonly connection: NatsConnection
  readonly js: JetStreamClient
  readonly manager: JetStreamManager
  /** Host and port of each configured server, for messages. */
  readonly servers: string
  #isConnected = true
  readonly #listeners = new Set<() => void>()

  private constructor(connection: NatsConnection, manager: JetStreamManager, servers: string) {
    this.connection = connection
    this.servers = servers
    this.manager = manager
    this.js = jetstream(connection)
    void this.#watch()
  }

  /** @throws {ConnectionRefused} where the server is too old, or the settings are wrong */
  static async open(options: NatsOptions): Promise<NatsLink> {
    try {
      const settings = natsConnectionOptions(options)
      const connection = await connect(settings)
      const manager = await jetstreamManager(connection, { checkAPI: false })
      const link = new NatsLink(connection, manager, settings.servers.join(', '))
      const refusal = unfitness(link)
      if (refusal === undefined) return link
      await connection.close()
      throw refusal
    } catch (error) {
      if (error instanceof ConnectionRefused) throw error
      throw natsRefusal(error) ?? unavailable(error)
    }
  }

  /** Of the server that it is connected to. */
  get version(): string {
    return this.connection.info?.version ?? ''
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

const byNumbers = new Intl.Collator('en', { numeric: true })

/** Whether Hookline runs with this version of nats-server. */
export function isNatsSupported(version: string): boolean {
  return byNumbers.compare(version, MIN_VERSION) >= 0
}

function unfitness({ version, servers, maxPayloadBytes }: NatsLink): ConnectionRefused | undefined {
  if (!isNatsSupported(version))
    return new ConnectionRefused(
      `The NATS server at ${servers} has version ${version}, which may lose events that it has confirmed. Use nats-server ` +
        `${MIN_VERSION} or newer.`,
    )
  if (maxPayloadBytes >= LEAST_PAYLOAD_BYTES) return undefined
  return new ConnectionRefused(
    `The NATS server at ${servers} has max_payload ${maxPayloadBytes}. Set it to at least ${LEAST_PAYLOAD_BYTES}.`,
  )
}

/** What a call that NATS could not answer rejects with. */
export function unavailable(error: unknown): BackendUnavailable {
  const reason = error instanceof Error ? error.message : String(error)
  return new BackendUnavailable(`NATS is unavailable: ${reason}`, { cause: error })
}

interface NatsOptions extends NatsSecurity {
  /** `nats://` or `tls://user:password@host:port` or `token@host:port`, several separated by commas. */
  readonly url: Redacted
}

/** How this client and the servers prove who they are, beside what the URL says. */
export interface NatsSecurity {
  /** What a file of credentials (.creds) has: a JWT and the seed of its nkey. */
  readonly credentials?: Redacted
  /** The seed of an nkey. */
  readonly nkeySeed?: Redacted
  readonly tls?: NatsTls
}

/** In PEM. */
interface NatsTls {
  /** Who signed the certificates of the servers; absent where the system trusts them. */
  readonly ca?: string
  /** The certificate of this client, and its key. */
  readonly cert?: string
  readonly key?: Redacted
}

const CONNECT_TIMEOUT_MS = 5_000
/** How long a connection may be silent before it counts as broken: two of these. */
const PING_MS = 5_000
const RECONNECT_MS = 250

/** The options of the client. User, password and token are those of the first server that names them. */
export function natsConnectionOptions(
  options: NatsOptions,
): ConnectionOptions & { readonly servers: string[] } {
  const urls = options.url.reveal().split(',').map(urlOf)
  const user = urls.find(({ username }) => username !== '')
  return {
    name: 'hookline',
    timeout: CONNECT_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    ...authentication(options, user),
    ...tlsOf(options.tls, urls),
    servers: urls.map(({ host }) => host),
  }
}

function urlOf(text: string): URL {
  const trimmed = text.trim()
  return new URL(trimmed.includes('://') ? trimmed : `nats://${trimmed}`)
}

function authentication(
  { credentials, nkeySeed }: NatsOptions,
  url: URL | undefined,
): Partial<ConnectionOptions> {
  // The client finds the end of credentials by the line end after it, which a setting does not have.
  const bytes = (secret: Redacted): Uint8Array => new TextEncoder().encode(`${secret.reveal()}\n`)
  if (credentials) return { authenticator: credsAuthenticator(bytes(credentials)) }
  if (nkeySeed)
    return { authenticator: nkeyAuthenticator(new TextEncoder().encode(nkeySeed.reveal())) }
  if (url === undefined) return {}
  const user = decodeURIComponent(url.username)
  return url.password === '' ? { token: user } : { user, pass: decodeURIComponent(url.password) }
}

function tlsOf(tls: NatsTls | undefined, urls: readonly URL[]): Partial<ConnectionOptions> {
  if (tls === undefined && !urls.some(({ protocol }) => protocol === 'tls:')) return {}
  const { ca, cert, key } = tls ?? {}
  return { tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key: key.reveal() }) } }
}

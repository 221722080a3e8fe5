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
import { EventEmitter, once } from 'node:events'
import type { Redacted } from '../../../util/secrets/redacted.ts'
import { BackendUnavailableError } from '../../backend.ts'
import { UnusableServerError, unusableNatsError } from '../unusable-server.ts'

/** Earlier servers lose confirmed events, or do not keep the metadata of a stream. */
const MIN_VERSION = '2.10.23'
/** The largest event must fit into a message. */
const MIN_PAYLOAD_BYTES = 1024 * 1024
const RECONNECTED = 'reconnected'

/** A connection to NATS, which reconnects until it is closed. */
export class NatsLink implements AsyncDisposable {
  readonly connection: NatsConnection
  readonly js: JetStreamClient
  readonly manager: JetStreamManager
  readonly servers: string
  #isConnected = true
  readonly #events = new EventEmitter().setMaxListeners(0)

  private constructor(connection: NatsConnection, manager: JetStreamManager, servers: string) {
    this.connection = connection
    this.servers = servers
    this.manager = manager
    this.js = jetstream(connection)
    void this.#watch()
  }

  /** @throws {UnusableServerError} if the server is too old, or the settings are wrong */
  static async open(options: NatsOptions): Promise<NatsLink> {
    try {
      const settings = natsConnectionOptions(options)
      const connection = await connect(settings)
      const manager = await jetstreamManager(connection, { checkAPI: false })
      const link = new NatsLink(connection, manager, settings.servers.join(', '))
      const reason = incompatibility(link)
      if (reason === undefined) return link
      await connection.close()
      throw new UnusableServerError(`The NATS server at ${link.servers} has ${reason}`)
    } catch (error) {
      if (error instanceof UnusableServerError) throw error
      throw unusableNatsError(error) ?? unavailableError(error)
    }
  }

  get version(): string {
    return this.connection.info?.version ?? ''
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  /** @throws {BackendUnavailableError} without a connection: a request would wait for it until its timeout */
  assertConnected(): void {
    if (!this.#isConnected) throw new BackendUnavailableError('NATS is not connected.')
  }

  /** The maximum size of a message with its headers. */
  get maxPayloadBytes(): number {
    return this.connection.info?.max_payload ?? MIN_PAYLOAD_BYTES
  }

  /** Resolves when there is a connection, or `signal` aborts. */
  async connected(signal: AbortSignal): Promise<void> {
    if (this.#isConnected) return
    await once(this.#events, RECONNECTED, { signal }).catch(() => undefined)
  }

  /** Calls `listener` after each reconnect until the returned function is called. */
  onReconnected(listener: () => void): () => void {
    this.#events.on(RECONNECTED, listener)
    return () => this.#events.off(RECONNECTED, listener)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close()
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'disconnect') this.#isConnected = false
      if (type !== 'reconnect') continue
      this.#isConnected = true
      this.#events.emit(RECONNECTED)
    }
  }
}

const byNumbers = new Intl.Collator('en', { numeric: true })

export function isNatsSupported(version: string): boolean {
  return byNumbers.compare(version, MIN_VERSION) >= 0
}

function incompatibility({ version, maxPayloadBytes }: NatsLink): string | undefined {
  if (!isNatsSupported(version))
    return `version ${version}, which may lose confirmed events. Use nats-server ${MIN_VERSION} or newer.`
  if (maxPayloadBytes >= MIN_PAYLOAD_BYTES) return undefined
  return `max_payload ${maxPayloadBytes}. Set it to at least ${MIN_PAYLOAD_BYTES}.`
}

export function unavailableError(error: unknown): BackendUnavailableError {
  const reason = error instanceof Error ? error.message : String(error)
  return new BackendUnavailableError(`NATS is unavailable: ${reason}`, { cause: error })
}

interface NatsOptions extends NatsSecurity {
  /** `nats://` or `tls://`, with `user:password@` or `token@`; several separated by commas. */
  readonly url: Redacted
}

/** Authentication beyond the URL. */
export interface NatsSecurity {
  /** The content of a .creds file: a JWT and the seed of its nkey. */
  readonly credentials?: Redacted
  readonly nkeySeed?: Redacted
  /** In PEM. `ca`: the authority of the servers' certificates, if the system does not trust them. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: Redacted }
}

const CONNECT_TIMEOUT_MS = 5_000
/** A connection counts as broken after two missed pings. */
const PING_MS = 5_000
const RECONNECT_MS = 250

/** Builds the client options, with the credentials of the first URL that includes any. */
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
  // The client requires a newline after credentials, and the value of a setting does not end with one.
  const bytes = (secret: Redacted): Uint8Array => new TextEncoder().encode(`${secret.reveal()}\n`)
  if (credentials) return { authenticator: credsAuthenticator(bytes(credentials)) }
  if (nkeySeed)
    return { authenticator: nkeyAuthenticator(new TextEncoder().encode(nkeySeed.reveal())) }
  if (url === undefined) return {}
  const user = decodeURIComponent(url.username)
  return url.password === '' ? { token: user } : { user, pass: decodeURIComponent(url.password) }
}

function tlsOf(tls: NatsSecurity['tls'], urls: readonly URL[]): Partial<ConnectionOptions> {
  if (tls === undefined && !urls.some(({ protocol }) => protocol === 'tls:')) return {}
  const { ca, cert, key } = tls ?? {}
  return { tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key: key.reveal() }) } }
}

import {
  type ConnectionOptions,
  credsAuthenticator,
  nkeyAuthenticator,
} from '@nats-io/transport-node'
import type { Redacted } from '../../../util/secrets/redacted.ts'

export interface NatsOptions extends NatsSecurity {
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

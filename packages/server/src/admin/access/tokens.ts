import { isId, newId } from '@hookline/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createHash, createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import type { StoredToken, Tokens } from '../../backend/tokens.ts'
import type { Redacted } from '../../util/secrets/redacted.ts'

/** A new token: its id, `_` and 256 random bits. The id allows a leaked token to be attributed. */
export function newToken(now: number, prefix: 'tok' | 'ses' = 'tok') {
  const id = newId(prefix, now)
  return { id, token: `${id}_${randomBytes(32).toString('base64url')}` }
}

/** The stored hash of a token. SHA-256 suffices for 256 random bits. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Finds the stored record for a token or for a session's secret. The comparison takes constant time. */
export function findToken(
  { current }: Pick<Tokens, 'current'>,
  token: string,
  prefix: 'tok' | 'ses' = 'tok',
): StoredToken | undefined {
  const id = token.slice(0, 30)
  const stored = isId(prefix, id) ? current.get(id) : undefined
  return stored && isSame(hashOf(token), stored.hash) ? stored : undefined
}

/** Compares in constant time. */
export function isSame(a: string, b: string): boolean {
  const [bytes, others] = [Buffer.from(a), Buffer.from(b)]
  return bytes.length === others.length && timingSafeEqual(bytes, others)
}

export function isExpired({ expiresAt }: StoredToken, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}

/** Whether a stored token is a session of the console. */
export function isSession({ id }: Pick<StoredToken, 'id'>): boolean {
  return id.startsWith('ses_')
}

/** The id of the operator's token, which has no record. */
export const ADMIN_TOKEN_ID = 'admin-token'
/** The actor's id for browsers on this machine, if they need no login. */
export const THIS_MACHINE_ID = 'this-machine'

interface SessionTokensOptions {
  readonly tokens: Pick<Tokens, 'current'>
  readonly adminToken: Redacted
  /** Browsers on this machine need no login. */
  readonly allowsLocalAccess: boolean
}

/**
 * The tokens that open sessions. A session ends when its token is deleted or expires, and, for the
 * admin token, when the operator replaces it: the session stores the token's fingerprint. Sessions
 * opened without a login end when `allowsLocalAccess` is off.
 */
export class SessionTokens {
  readonly #options: SessionTokensOptions
  #adminOpenedBy: string | undefined

  constructor(options: SessionTokensOptions) {
    this.#options = options
  }

  /** The field `openedBy` of a session. */
  openedByOf(tokenId: string): string {
    return tokenId === ADMIN_TOKEN_ID ? this.#admin() : tokenId
  }

  isValid(token: StoredToken, now: number): boolean {
    return (
      !isExpired(token, now) &&
      (!isSession(token) || this.canOpenSession(token.openedBy ?? '', now))
    )
  }

  isActorValid(actorId: string, now: number): boolean {
    if (actorId === ADMIN_TOKEN_ID || actorId === THIS_MACHINE_ID) return true
    const token = this.#options.tokens.current.get(actorId)
    return token !== undefined && this.isValid(token, now)
  }

  /** Whether `openedBy` may open sessions and keep them open. */
  canOpenSession(openedBy: string, now: number): boolean {
    if (openedBy === THIS_MACHINE_ID) return this.#options.allowsLocalAccess
    if (tokenIdOf(openedBy) === ADMIN_TOKEN_ID) return openedBy === this.#admin()
    const token = this.#options.tokens.current.get(openedBy)
    return token !== undefined && !isSession(token) && !isExpired(token, now)
  }

  /** When the token expires, in milliseconds since the epoch; `null` for never. */
  endOf(tokenId: string): number | null {
    return this.#options.tokens.current.get(tokenId)?.expiresAt ?? null
  }

  /** Computed on first use: it takes tens of milliseconds. */
  #admin(): string {
    return (this.#adminOpenedBy ??= `${ADMIN_TOKEN_ID}:${fingerprintOf(this.#options.adminToken)}`)
  }
}

export function tokenIdOf(openedBy: string): string {
  return openedBy.split(':')[0]!
}

/** Slow, so that a stolen backup does not make it easy to guess a weak admin token. */
function fingerprintOf(token: Redacted): string {
  return scryptSync(token.reveal(), 'hookline sessions', 16).toString('hex')
}

const COOKIE = 'hookline_session'

export function sessionIn(cookies: string | undefined): string | undefined {
  return new RegExp(`(?:^|; *)${COOKIE}=([\\w-]+)`).exec(cookies ?? '')?.[1]
}

/** Sets the cookie of a session (RFC 6265bis §5.6.7). Without TLS, browsers drop cookies with `Secure`. */
export function setSessionCookie(
  { protocol }: FastifyRequest,
  reply: FastifyReply,
  secret: string,
  lifetimeMs: number,
): void {
  const maxAge = `Max-Age=${Math.floor(lifetimeMs / 1000)}`
  const attributes = [`${COOKIE}=${secret}`, 'Path=/', maxAge, 'HttpOnly', 'SameSite=Strict']
  if (protocol === 'https') attributes.push('Secure')
  reply.header('set-cookie', attributes.join('; '))
}

/** The CSRF token that changes require in addition to the cookie. Pages of other origins cannot read it. */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('csrf').digest('base64url')
}

import { isId, newId } from '@hookline/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createHash, createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import type { StoredToken, Tokens } from '../../backend/tokens.ts'
import type { Redacted } from '../../util/secrets/redacted.ts'

/** A new token and its id. The token is the id, `_`, and 256 random bits: so a leaked token can be attributed. */
export function newToken(
  now: number,
  prefix: 'tok' | 'ses' = 'tok',
): { readonly id: string; readonly token: string } {
  const id = newId(prefix, now)
  return { id, token: `${id}_${randomBytes(32).toString('base64url')}` }
}

/** The hash of a token that is stored. SHA-256 is enough, because 256 random bits cannot be guessed. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** The stored record of the token or session `given`. The comparison takes constant time. */
export function findToken(
  { current }: Pick<Tokens, 'current'>,
  given: string,
  prefix: 'tok' | 'ses' = 'tok',
): StoredToken | undefined {
  const id = given.slice(0, 30)
  const stored = isId(prefix, id) ? current.get(id) : undefined
  if (stored === undefined) return undefined
  const isSame = timingSafeEqual(Buffer.from(hashOf(given), 'hex'), Buffer.from(stored.hash, 'hex'))
  return isSame ? stored : undefined
}

/** Whether the token has expired at this time. */
export function isExpired({ expiresAt }: StoredToken, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}

/** Whether a stored token is a session of the console. */
export function isSession({ id }: Pick<StoredToken, 'id'>): boolean {
  return id.startsWith('ses_')
}

/** The id of the token of the operator, which has no record. */
export const ADMIN_TOKEN_ID = 'admin-token'
/** The id of whoever uses a browser on this machine where no login is needed. */
export const THIS_MACHINE_ID = 'this-machine'

interface OpenersOptions {
  readonly tokens: Pick<Tokens, 'current'>
  readonly adminToken: Redacted
  /** Whether browsers on this machine need no login. */
  readonly isOpenHere: boolean
}

/**
 * The tokens that open sessions. A session ends with its opener: when that is deleted or expires, and, for the admin token,
 * when the operator sets another one. So the record of a session has a fingerprint of the admin token. Where the service is
 * open on this machine, whoever uses it there opens sessions as well: they end when it no longer is.
 */
export class Openers {
  readonly #tokens: Pick<Tokens, 'current'>
  readonly #adminToken: Redacted
  readonly #isOpenHere: boolean
  #adminOpener: string | undefined

  constructor({ tokens, adminToken, isOpenHere }: OpenersOptions) {
    this.#tokens = tokens
    this.#adminToken = adminToken
    this.#isOpenHere = isOpenHere
  }

  /** What the record of a session has as `openedBy`. */
  openerOf(tokenId: string): string {
    return tokenId === ADMIN_TOKEN_ID ? this.#admin() : tokenId
  }

  /** Whether requests with a token or a session are served. */
  isValid(token: StoredToken, now: number): boolean {
    return !isExpired(token, now) && (!isSession(token) || this.mayOpen(token.openedBy ?? '', now))
  }

  /** Whether requests of the actor with this id are still served. */
  isServed(actorId: string, now: number): boolean {
    if (actorId === ADMIN_TOKEN_ID || actorId === THIS_MACHINE_ID) return true
    const token = this.#tokens.current.get(actorId)
    return token !== undefined && this.isValid(token, now)
  }

  /** Whether the opener still opens sessions, and still holds open those that it has opened. */
  mayOpen(openedBy: string, now: number): boolean {
    if (openedBy === THIS_MACHINE_ID) return this.#isOpenHere
    if (tokenIdOf(openedBy) === ADMIN_TOKEN_ID) return openedBy === this.#admin()
    const opener = this.#tokens.current.get(openedBy)
    return opener !== undefined && !isSession(opener) && !isExpired(opener, now)
  }

  /** When the opener ends, in milliseconds since the epoch; `null` for never. */
  endOf(tokenId: string): number | null {
    return this.#tokens.current.get(tokenId)?.expiresAt ?? null
  }

  /** Made when it is first needed, because it takes a few hundredths of a second. */
  #admin(): string {
    return (this.#adminOpener ??= `${ADMIN_TOKEN_ID}:${fingerprintOf(this.#adminToken)}`)
  }
}

/** The id of the token that a session names as `openedBy`. */
export function tokenIdOf(openedBy: string): string {
  return openedBy.split(':')[0]!
}

/** Slow to compute, so that a stolen backup is no quick way to try admin tokens that people have made up. */
function fingerprintOf(token: Redacted): string {
  return scryptSync(token.reveal(), 'hookline sessions', 16).toString('hex')
}

/** The cookie that has the secret of a session of the console. */
const COOKIE = 'hookline_session'

/** The secret in the header `Cookie` of a request; `undefined` where it has none. */
export function sessionIn(cookies: string | undefined): string | undefined {
  return new RegExp(`(?:^|; *)${COOKIE}=([\\w-]+)`).exec(cookies ?? '')?.[1]
}

/**
 * Sets the cookie of a session. Scripts cannot read it, and a browser sends it with no request that another site causes
 * (RFC 6265bis §5.6.7). `Secure` only over TLS: a browser would not keep it otherwise.
 */
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

/** The token that changes need beside the cookie. A page of another origin cannot read it. */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('csrf').digest('base64url')
}

import { scryptSync } from 'node:crypto'
import type { StoredToken, Tokens } from '../../backend/tokens.ts'
import type { Redacted } from '../../util/secrets/redacted.ts'
import { isExpired, isSession } from './token.ts'

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

import { isId, newId } from '@hookline/protocol'
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { StoredToken, Tokens } from '../../backend/tokens.ts'

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

import { isId, newId } from '@hookline/protocol'
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { StoredToken, Tokens } from '../../backend/tokens.ts'

/** A new token and its id: the id, `_`, and 256 random bits. The id in it tells the operator whose a leaked one is. */
export function newToken(now: number): { readonly id: string; readonly token: string } {
  const id = newId('tok', now)
  return { id, token: `${id}_${randomBytes(32).toString('base64url')}` }
}

/** What is kept of a token: SHA-256 suffices, for there is nothing to guess in 256 random bits. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** The stored token that `given` is. How long it takes tells nothing of the hash. */
export function findToken({ current }: Tokens, given: string): StoredToken | undefined {
  const id = given.slice(0, 30)
  const stored = isId('tok', id) ? current.get(id) : undefined
  if (stored === undefined) return undefined
  const isSame = timingSafeEqual(Buffer.from(hashOf(given), 'hex'), Buffer.from(stored.hash, 'hex'))
  return isSame ? stored : undefined
}

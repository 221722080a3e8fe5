import { randomBytes } from 'node:crypto'
import type { Role } from '../../backend/tokens.ts'
import { hashOf } from '../tokens/token.ts'

/** Who a sign-in link is for. */
export interface SignIn {
  readonly role: Role
  /** The id of the token that made the link. */
  readonly tokenId: string
  readonly expiresAt: number
}

/** How long a sign-in link can be used (spec 10 §Ground). */
const SIGN_IN_MS = 30 * 60 * 1000
/** More links than a token makes within half an hour. Another one ends the oldest of that token. */
const MOST_CODES = 100

/** The codes of sign-in links: each opens one session. They are in memory, so a restart ends them. */
export class SignInCodes {
  /** By the hash of the code, the oldest first. */
  readonly #codes = new Map<string, SignIn>()

  /** Returns the code: 256 random bits. */
  create(given: Omit<SignIn, 'expiresAt'>, now: number): { code: string; expiresAt: number } {
    const code = randomBytes(32).toString('base64url')
    const expiresAt = now + SIGN_IN_MS
    this.#makeRoom(given.tokenId, now)
    this.#codes.set(hashOf(code), { ...given, expiresAt })
    return { code, expiresAt }
  }

  /** What the code is for, as long as it can be taken. */
  find(code: string, now: number): SignIn | undefined {
    const found = this.#codes.get(hashOf(code))
    return found !== undefined && now < found.expiresAt ? found : undefined
  }

  /** Returns whether the code could be taken. It cannot be taken again. */
  take(code: string): boolean {
    return this.#codes.delete(hashOf(code))
  }

  #makeRoom(tokenId: string, now: number): void {
    for (const [key, { expiresAt }] of this.#codes) if (expiresAt <= now) this.#codes.delete(key)
    const own = [...this.#codes].filter(([, each]) => each.tokenId === tokenId)
    if (own.length >= MOST_CODES) this.#codes.delete(own[0]![0])
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import type { Role, StoredToken, Tokens } from '../../backend/tokens.ts'
import { FairTurns } from '../../util/limits/fair-turns.ts'
import type { Clock } from '../../util/time/clock.ts'
import { type Actor, unauthorized } from '../access/authenticate.ts'
import { hashOf, isSession, newToken, type Openers, tokenIdOf } from '../access/tokens.ts'
import { type Audited, recordEntry } from '../audit.ts'
import { Problem } from '../problems/problem.ts'
import { presentToken } from '../tokens.ts'

/** More than anybody has open with one token. Another one ends the oldest of that token, and none of others. */
const MAX_SESSIONS = 100
/** Sign-ins of a token that wait for the one before. Each holds a connection. */
const MAX_WAITING = 32

/** The dependencies of sessions. */
export interface OpenSessionsOptions {
  readonly tokens: Audited<Tokens, 'add' | 'remove'>
  readonly openers: Openers
  readonly clock: Clock
  /** How long a session lasts. */
  readonly sessionLifetimeMs: number
}

/** Who opens a session. */
export interface Opener extends Pick<Actor, 'tokenId' | 'name' | 'role' | 'credential'> {
  /** Takes the sign-in link, if there is one. Returns a Problem where another browser has taken it. */
  readonly takeLink?: () => Problem | undefined
}

interface Opened {
  readonly session: StoredToken
  readonly secret: string
}

/** The sessions of the console, whose number is limited for each token. */
export class OpenSessions {
  readonly #options: OpenSessionsOptions
  /** Sign-ins follow each other, so that each sees those before it. */
  readonly #turns = new FairTurns(1)
  /** By the id of a session: its removal, which is under way. */
  readonly #ending = new Map<string, Promise<void>>()

  constructor(options: OpenSessionsOptions) {
    this.#options = options
  }

  /** The sessions whose requests are served, the oldest first. */
  list(): StoredToken[] {
    const { openers, clock } = this.#options
    const now = clock.wall()
    return this.#all().filter((each) => openers.isValid(each, now))
  }

  /**
   * Opens a session. From now on, the request is one of this session. Returns its secret, too.
   * @throws {Problem} where too many sign-ins of the token wait, or the token has ended
   */
  async open(
    { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
    { takeLink, ...opener }: Opener,
  ): Promise<Opened> {
    const { tokenId } = opener
    const taker = { id: tokenId, tokenId }
    if (this.#turns.waitingOf(taker).own >= MAX_WAITING)
      throw new Problem('rate_limited', { headers: { 'retry-after': '1' } })
    return this.#turns.run({ taker, isWanted: () => !reply.raw.destroyed }, async () => {
      const { tokens, openers, clock } = this.#options
      // The token may have ended while the sign-in waited.
      if (!openers.mayOpen(openers.openerOf(tokenId), clock.wall()))
        throw unauthorized('invalid_token')
      const taken = takeLink?.()
      if (taken) throw taken
      const opened = this.#newSession(opener)
      const { session } = opened
      request.actor = { ...opener, id: session.id }
      await this.#makeRoom(request)
      const audit = recordEntry(request, clock.wall(), [null, session], presentSession)
      await tokens.add(session, audit)
      return opened
    })
  }

  /** Ends a session. Of several calls at the same time, the first one is recorded. */
  async end(request: FastifyRequest, session: StoredToken): Promise<void> {
    const { id } = session
    const { tokens, clock } = this.#options
    const audit = recordEntry(request, clock.wall(), [session, null], presentSession)
    const ending = this.#ending.get(id) ?? tokens.remove(id, audit)
    this.#ending.set(id, ending)
    await ending.finally(() => this.#ending.delete(id))
  }

  #newSession({ tokenId, name, role }: Opener): Opened {
    const { openers, clock, sessionLifetimeMs } = this.#options
    const now = clock.wall()
    const { id, token: secret } = newToken(now, 'ses')
    const expiresAt = Math.min(now + sessionLifetimeMs, openers.endOf(tokenId) ?? Infinity)
    const times = { createdAt: now, expiresAt, lastUsedAt: now }
    const openedBy = openers.openerOf(tokenId)
    return { session: { id, name, role, hash: hashOf(secret), ...times, openedBy }, secret }
  }

  /** Ends sessions that are over, and the oldest of the token where it has too many. */
  async #makeRoom(request: FastifyRequest): Promise<void> {
    const open = new Set(this.list())
    const over = this.#all().filter((each) => !open.has(each))
    const { tokenId } = request.actor
    const own = [...open].filter(({ openedBy = '' }) => tokenIdOf(openedBy) === tokenId)
    const tooMany = own.slice(0, Math.max(0, own.length - MAX_SESSIONS + 1))
    // At once, so that they share a write to the disk.
    await Promise.all([...over, ...tooMany].map((session) => this.end(request, session)))
  }

  #all(): StoredToken[] {
    return [...this.#options.tokens.current.values()].filter(isSession)
  }
}

/** The session as the API shows it. */
export function presentSession(session: StoredToken): object {
  return { ...presentToken(session), openedBy: tokenIdOf(session.openedBy ?? '') }
}

/** Who a sign-in link is for. */
interface SignIn {
  readonly role: Role
  /** The id of the token that made the link. */
  readonly tokenId: string
  readonly expiresAt: number
}

/** How long a sign-in link can be used (spec 10 §Ground). */
const SIGN_IN_MS = 30 * 60 * 1000
/** More links than a token makes within half an hour. Another one ends the oldest of that token. */
const MAX_CODES = 100

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
    if (own.length >= MAX_CODES) this.#codes.delete(own[0]![0])
  }
}

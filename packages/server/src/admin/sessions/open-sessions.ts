import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import type { Role, StoredToken, Tokens } from '../../backend/tokens.ts'
import { FairTurns } from '../../util/limits/fair-turns.ts'
import type { Clock } from '../../util/time/clock.ts'
import { type Actor, unauthorizedProblem } from '../access/authenticate.ts'
import { hashOf, isSession, newToken, type SessionTokens, tokenIdOf } from '../access/tokens.ts'
import { type AuditedPort, recordEntry } from '../audit.ts'
import { Problem } from '../problems/problem.ts'
import { presentToken } from '../tokens.ts'

/** The maximum number of sessions per token. An additional one ends the oldest. */
const MAX_SESSIONS = 100
/** The maximum number of waiting sign-ins per token. Each holds a connection. */
const MAX_WAITING = 32

export interface OpenSessionsOptions {
  readonly tokens: AuditedPort<Tokens, 'add' | 'remove'>
  readonly sessionTokens: SessionTokens
  readonly clock: Clock
  readonly sessionLifetimeMs: number
}

/** The owner of a new session. */
export interface SessionOwner extends Pick<Actor, 'tokenId' | 'name' | 'role' | 'credential'> {
  /** Uses up the sign-in link, if any. Returns a Problem if it has been used. */
  readonly takeLink?: () => Problem | undefined
}

interface OpenedSession {
  readonly session: StoredToken
  readonly secret: string
}

/** The sessions of the console. Their number is limited for each token. */
export class OpenSessions {
  readonly #options: OpenSessionsOptions
  /** Sign-ins run one at a time, so that the limit holds. */
  readonly #turns = new FairTurns(1)
  /** Removals in progress, by session id. */
  readonly #ending = new Map<string, Promise<void>>()

  constructor(options: OpenSessionsOptions) {
    this.#options = options
  }

  /** The valid sessions. */
  list(): StoredToken[] {
    const { sessionTokens, clock } = this.#options
    const now = clock.wall()
    return this.#all().filter((each) => sessionTokens.isValid(each, now))
  }

  /**
   * Opens a session, which becomes the actor of the request. Also returns its secret.
   * @throws {Problem} if too many sign-ins with the token are waiting, or the token has expired or was deleted
   */
  async open(
    { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
    { takeLink, ...owner }: SessionOwner,
  ): Promise<OpenedSession> {
    const { tokenId } = owner
    const client = { id: tokenId, tokenId }
    if (this.#turns.waitingOf(client).own >= MAX_WAITING)
      throw new Problem('rate_limited', { headers: { 'retry-after': '1' } })
    return this.#turns.run({ client, isWanted: () => !reply.raw.destroyed }, async () => {
      const { tokens, sessionTokens, clock } = this.#options
      // The token may have expired or been removed in the meantime.
      if (!sessionTokens.canOpenSession(sessionTokens.openedByOf(tokenId), clock.wall()))
        throw unauthorizedProblem('invalid_token')
      const problem = takeLink?.()
      if (problem) throw problem
      const opened = this.#newSession(owner)
      const { session } = opened
      request.actor = { ...owner, id: session.id }
      await this.#makeRoom(request)
      const audit = recordEntry(request, clock.wall(), [null, session], presentSession)
      await tokens.add(session, audit)
      return opened
    })
  }

  /** Ends a session. Only the first of several concurrent calls is recorded. */
  async end(request: FastifyRequest, session: StoredToken): Promise<void> {
    const { id } = session
    const { tokens, clock } = this.#options
    const audit = recordEntry(request, clock.wall(), [session, null], presentSession)
    const ending = this.#ending.get(id) ?? tokens.remove(id, audit)
    this.#ending.set(id, ending)
    await ending.finally(() => this.#ending.delete(id))
  }

  #newSession({ tokenId, name, role }: SessionOwner): OpenedSession {
    const { sessionTokens, clock, sessionLifetimeMs } = this.#options
    const now = clock.wall()
    const { id, token: secret } = newToken(now, 'ses')
    const expiresAt = Math.min(now + sessionLifetimeMs, sessionTokens.endOf(tokenId) ?? Infinity)
    const times = { createdAt: now, expiresAt, lastUsedAt: now }
    const openedBy = sessionTokens.openedByOf(tokenId)
    return { session: { id, name, role, hash: hashOf(secret), ...times, openedBy }, secret }
  }

  /** Ends expired sessions, and the oldest ones of the token beyond the limit. */
  async #makeRoom(request: FastifyRequest): Promise<void> {
    const open = new Set(this.list())
    const expired = this.#all().filter((each) => !open.has(each))
    const { tokenId } = request.actor
    const own = [...open].filter(({ openedBy = '' }) => tokenIdOf(openedBy) === tokenId)
    const tooMany = own.slice(0, Math.max(0, own.length - MAX_SESSIONS + 1))
    // Concurrently, to share a write to the disk.
    await Promise.all([...expired, ...tooMany].map((session) => this.end(request, session)))
  }

  #all(): StoredToken[] {
    return [...this.#options.tokens.current.values()].filter(isSession)
  }
}

export function presentSession(session: StoredToken): object {
  return { ...presentToken(session), openedBy: tokenIdOf(session.openedBy ?? '') }
}

interface SignIn {
  readonly role: Role
  /** The token that created the link. */
  readonly tokenId: string
  readonly expiresAt: number
}

/** How long a sign-in link is valid. */
const SIGN_IN_MS = 30 * 60 * 1000
/** The maximum number of links per token. An additional one invalidates the oldest. */
const MAX_CODES = 100

/** The single-use codes of sign-in links. They are lost on a restart. */
export class SignInCodes {
  /** By hash, oldest first. */
  readonly #codes = new Map<string, SignIn>()

  /** Returns the code: 256 random bits. */
  create(link: Omit<SignIn, 'expiresAt'>, now: number): { code: string; expiresAt: number } {
    const code = randomBytes(32).toString('base64url')
    const expiresAt = now + SIGN_IN_MS
    this.#makeRoom(link.tokenId, now)
    this.#codes.set(hashOf(code), { ...link, expiresAt })
    return { code, expiresAt }
  }

  /** The link with this code, while it is valid. */
  find(code: string, now: number): SignIn | undefined {
    const signIn = this.#codes.get(hashOf(code))
    return signIn !== undefined && now < signIn.expiresAt ? signIn : undefined
  }

  /** Uses up the code. Returns false if it was used before. */
  take(code: string): boolean {
    return this.#codes.delete(hashOf(code))
  }

  #makeRoom(tokenId: string, now: number): void {
    for (const [key, { expiresAt }] of this.#codes) if (expiresAt <= now) this.#codes.delete(key)
    const own = [...this.#codes].filter(([, each]) => each.tokenId === tokenId)
    if (own.length >= MAX_CODES) this.#codes.delete(own[0]![0])
  }
}

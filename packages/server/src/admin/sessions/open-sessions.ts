import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StoredToken } from '../../backend/tokens.ts'
import { FairTurns } from '../../util/limits/fair-turns.ts'
import { type Actor, type Authentication, unauthorized } from '../access/authenticate.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { recordEntry } from '../audit/audit-entry.ts'
import { Problem } from '../problems/problem.ts'
import { tokenIdOf } from '../tokens/openers.ts'
import { hashOf, isSession, newToken } from '../tokens/token.ts'
import { presentSession } from './session-schema.ts'

/** More than anybody has open with one token. Another one ends the oldest of that token, and none of others. */
const MOST_SESSIONS = 100
/** Sign-ins of a token that wait for the one before. Each holds a connection. */
const MOST_WAITING = 32

type OpenSessionsOptions = Pick<AdminDeps & Authentication, 'tokens' | 'openers' | 'clock'> & {
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
    if (this.#turns.waitingOf(taker).own >= MOST_WAITING)
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
    const tooMany = own.slice(0, Math.max(0, own.length - MOST_SESSIONS + 1))
    // At once, so that they share a write to the disk.
    await Promise.all([...over, ...tooMany].map((session) => this.end(request, session)))
  }

  #all(): StoredToken[] {
    return [...this.#options.tokens.current.values()].filter(isSession)
  }
}

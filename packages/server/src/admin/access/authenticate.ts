import { formatTimestamp } from '@hookline/protocol'
import type { onRequestHookHandler } from 'fastify'
import { timingSafeEqual } from 'node:crypto'
import type { Logger } from '../../telemetry/logger.ts'
import type { Role, StoredToken, Tokens } from '../../backend/tokens.ts'
import type { Clock } from '../../util/clock.ts'
import { Redacted } from '../../util/redacted.ts'
import { Problem } from '../problems/problem.ts'
import { findToken, hashOf } from '../tokens/token.ts'
import type { WrongTokens } from './wrong-tokens.ts'

/** The token that a request carries, and what it may do. */
export interface Actor {
  /** The id of the token; `admin-token` for the token of the operator. */
  readonly id: string
  readonly name: string
  readonly role: Role
  /** The token itself. */
  readonly credential: Redacted
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `authenticate` on every route that needs a token, before any other hook runs. */
    actor: Actor
  }
}

interface Authentication {
  /** The token of the operator. It has the role admin and never expires. */
  readonly adminToken: Redacted
  readonly tokens: Tokens
  readonly wrongTokens: WrongTokens
  readonly clock: Clock
  readonly logger: Logger
}

/** The time of the last use is kept to the minute, so that not every request causes a write. */
const LAST_USE_PRECISION_MS = 60_000

/**
 * The hook that checks `Authorization: Bearer` (RFC 6750 §3). Without a token that is known and has not
 * expired the response is 401, or 429 where the client has sent many wrong ones. A correct token passes at any
 * time. The comparison takes constant time.
 */
export function authenticate(authentication: Authentication): onRequestHookHandler {
  const expected = Buffer.from(hashOf(authentication.adminToken.reveal()))
  return (request, _reply, done) => {
    const given = /^Bearer +([^ ]+) *$/i.exec(request.headers.authorization ?? '')?.[1]
    if (given === undefined) return done(unauthorized())
    const isAdminToken = timingSafeEqual(Buffer.from(hashOf(given)), expected)
    const actor = isAdminToken ? OPERATOR : actorOf(given, request.ip, authentication)
    if (actor instanceof Problem) return done(actor)
    request.actor = { ...actor, credential: new Redacted(given) }
    return done()
  }
}

const OPERATOR: Omit<Actor, 'credential'> = {
  id: 'admin-token',
  name: 'admin token of the operator',
  role: 'admin',
}

function actorOf(
  given: string,
  address: string,
  { tokens, wrongTokens, clock, logger }: Authentication,
): Omit<Actor, 'credential'> | Problem {
  const token = findToken(tokens, given)
  if (token === undefined) return wrongTokens.add(address) ?? unauthorized('invalid_token')
  const now = clock.wall()
  if (isExpired(token, now)) {
    // Who has the token may know: for any other text, the response does not say what is wrong.
    const since = formatTimestamp(token.expiresAt!)
    return unauthorized(
      'invalid_token',
      `The token ${JSON.stringify(token.name)} expired at ${since}.`,
    )
  }
  // The time may be later than now, if the clock was set back.
  if (Math.abs(now - (token.lastUsedAt ?? 0)) >= LAST_USE_PRECISION_MS) {
    tokens.markUsed(token.id, now).catch((error: unknown) => {
      logger.warn({ err: error, tokenId: token.id }, 'token.last_use_not_kept')
    })
  }
  const { id, name, role } = token
  return { id, name, role }
}

/** Whether the token has expired at this time. */
export function isExpired({ expiresAt }: StoredToken, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}

function unauthorized(error?: 'invalid_token', detail?: string): Problem {
  const challenge = 'Bearer realm="Hookline"'
  const reason = error === undefined ? challenge : `${challenge}, error="${error}"`
  const headers = { 'www-authenticate': reason }
  return new Problem('unauthorized', { headers, ...(detail !== undefined && { detail }) })
}

import type { onRequestHookHandler } from 'fastify'
import { timingSafeEqual } from 'node:crypto'
import type { Logger } from 'pino'
import type { StoredToken, Tokens } from '../../backend/tokens.ts'
import type { Clock } from '../../util/clock.ts'
import { Redacted } from '../../util/redacted.ts'
import type { Actor } from './actor.ts'
import { Problem } from '../problems/problem.ts'
import { findToken, hashOf } from '../tokens/token.ts'

export interface Authentication {
  /** The operator's own: it may do everything and never expires. */
  readonly adminToken: Redacted
  readonly tokens: Tokens
  readonly clock: Clock
  readonly logger: Logger
}

/** Last use is kept to the minute: a busy token shall not write at every request. */
const USE_KEPT_EVERY_MS = 60_000

/**
 * The hook that lets a request pass only with `Authorization: Bearer` and a token that is known and has not
 * expired, and answers 401 otherwise (RFC 6750 §3). How long it takes says nothing of the tokens.
 */
export function authenticate(authentication: Authentication): onRequestHookHandler {
  const expected = Buffer.from(hashOf(authentication.adminToken.reveal()))
  return (request, _reply, done) => {
    const given = /^Bearer +([^ ]+) *$/i.exec(request.headers.authorization ?? '')?.[1]
    if (given === undefined) return done(unauthorized())
    const isAdminToken = timingSafeEqual(Buffer.from(hashOf(given)), expected)
    const actor = isAdminToken ? OPERATOR : actorOf(given, authentication)
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
  { tokens, clock, logger }: Authentication,
): Omit<Actor, 'credential'> | Problem {
  const token = findToken(tokens, given)
  if (token === undefined) return unauthorized('invalid_token')
  const now = clock.now()
  if (isExpired(token, now)) return unauthorized('invalid_token', 'The token has expired.')
  if (now - (token.lastUsedAt ?? 0) >= USE_KEPT_EVERY_MS) {
    tokens.markUsed(token.id, now).catch((error: unknown) => {
      logger.warn({ err: error, tokenId: token.id }, 'use of a token not kept')
    })
  }
  const { id, name, role } = token
  return { id, name, role }
}

/** Whether the token is refused at this time for its age. */
export function isExpired({ expiresAt }: StoredToken, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}

function unauthorized(error?: 'invalid_token', detail?: string): Problem {
  const challenge = 'Bearer realm="Hookline"'
  const reason = error === undefined ? challenge : `${challenge}, error="${error}"`
  const headers = { 'www-authenticate': reason }
  return new Problem('unauthorized', { headers, ...(detail !== undefined && { detail }) })
}

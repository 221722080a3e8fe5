import { formatTimestamp } from '@hookline/protocol'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { Role, StoredToken, Tokens } from '../../backend/tokens.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { LogThrottle } from '../../util/limits/log-throttle.ts'
import { RateLimit } from '../../util/limits/rate-limit.ts'
import { Redacted } from '../../util/secrets/redacted.ts'
import type { Clock } from '../../util/time/clock.ts'
import { Problem } from '../problems/problem.ts'
import {
  ADMIN_TOKEN_ID,
  csrfTokenOf,
  findToken,
  hashOf,
  isExpired,
  isSame,
  type SessionTokens,
  sessionIn,
  THIS_MACHINE_ID,
  tokenIdOf,
} from './tokens.ts'

/** Who makes a request. */
export interface Actor {
  /** The id of the token or session; `admin-token` for the operator's token; `this-machine` without a login. */
  readonly id: string
  /** The id of the token that opened the session; otherwise `id`. */
  readonly tokenId: string
  readonly name: string
  readonly role: Role
  /** The token, or the secret of the session. */
  readonly credential: Redacted
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `authenticate`, before any other hook runs. */
    actor: Actor
  }
}

export interface Authentication {
  /** The operator's token. It has the admin role and never expires. */
  readonly adminToken: Redacted
  readonly tokens: Pick<Tokens, 'current' | 'markUsed'>
  readonly sessionTokens: SessionTokens
  /** Browsers on this machine need no login and have the admin role. */
  readonly allowsLocalAccess: boolean
  readonly authFailureLimit: AuthFailureLimit
  readonly clock: Clock
  readonly logger: Logger
}

type Identity = Omit<Actor, 'credential'>

/** The last use of a token is stored at most this often, to avoid a write for each request. */
const LAST_USE_PRECISION_MS = 60_000
const SAFE_METHODS = new Set(['GET', 'HEAD'])
const BEARER = /^Bearer +([^ ]+) *$/i

/**
 * The hook that checks `Authorization: Bearer` (RFC 6750 §3) or the session of a browser. Responds with 401 to an unknown or
 * expired token, or with 429 after many invalid ones; a valid token always passes. Comparisons take constant time. Changes by
 * a browser also need the CSRF token.
 */
export function authenticate(authentication: Authentication): onRequestHookHandler {
  return (request, _reply, done) => {
    const [, token] = BEARER.exec(request.headers.authorization ?? '') ?? []
    const actor =
      token === undefined
        ? browserActor(request, authentication)
        : tokenActor(token, request.ip, authentication)
    if (actor instanceof Problem) return done(actor)
    request.actor = actor
    return done()
  }
}

export function tokenActor(
  token: string,
  address: string,
  authentication: Authentication,
): Actor | Problem {
  const { adminToken, tokens, authFailureLimit } = authentication
  const credential = new Redacted(token)
  if (isSame(hashOf(token), hashOf(adminToken.reveal()))) return { ...OPERATOR, credential }
  const stored = findToken(tokens, token)
  if (stored === undefined)
    return authFailureLimit.add(address) ?? unauthorizedProblem('invalid_token')
  if (isExpired(stored, authentication.clock.wall())) {
    const { name, expiresAt } = stored
    const detail = `The token ${JSON.stringify(name)} expired at ${formatTimestamp(expiresAt!)}. Use another token, or create a new one.`
    return unauthorizedProblem('invalid_token', detail)
  }
  return { ...usedNow(stored, authentication), credential }
}

const OPERATOR = operator(ADMIN_TOKEN_ID, 'admin token')
const THIS_MACHINE = operator(THIS_MACHINE_ID, 'a browser on this machine')

function operator(id: string, name: string): Identity {
  return { id, tokenId: id, name, role: 'admin' }
}

/** The user of a session, or of a browser that needs no login. */
function browserActor(request: FastifyRequest, authentication: Authentication): Actor | Problem {
  const { tokens, sessionTokens, adminToken, allowsLocalAccess, clock } = authentication
  const { headers } = request
  if (headers.authorization !== undefined || isFromOtherSite(headers)) return unauthorizedProblem()
  const secret = sessionIn(headers.cookie) ?? ''
  const session = findToken(tokens, secret, 'ses')
  if (session !== undefined && sessionTokens.isValid(session, clock.wall())) {
    const credential = new Redacted(secret)
    return withCsrfToken(request, { ...usedNow(session, authentication), credential })
  }
  if (!allowsLocalAccess || !isFromBrowserHere(request)) return unauthorizedProblem()
  return withCsrfToken(request, { ...THIS_MACHINE, credential: adminToken })
}

function withCsrfToken({ method, headers }: FastifyRequest, actor: Actor): Actor | Problem {
  if (SAFE_METHODS.has(method)) return actor
  const csrfToken = String(headers['x-csrf-token'] ?? '')
  const isValid = isSame(csrfToken, csrfTokenOf(actor.credential.reveal()))
  return isValid ? actor : new Problem('csrf_token_missing')
}

function usedNow(token: StoredToken, { tokens, clock, logger }: Authentication): Identity {
  const { id, name, role, openedBy = id } = token
  const now = clock.wall()
  // The stored time is in the future if the clock was set back.
  if (Math.abs(now - (token.lastUsedAt ?? 0)) >= LAST_USE_PRECISION_MS) {
    tokens.markUsed(id, now).catch((error: unknown) => {
      logger.warn({ err: error, tokenId: id }, 'token.last_use_write_failed')
    })
  }
  return { id, tokenId: tokenIdOf(openedBy), name, role }
}

export function unauthorizedProblem(error?: 'invalid_token', detail?: string): Problem {
  const parameter = error === undefined ? '' : `, error="${error}"`
  const headers = { 'www-authenticate': `Bearer realm="Hookline"${parameter}` }
  return new Problem('unauthorized', { headers, ...(detail !== undefined && { detail }) })
}

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i
/** Headers of reverse proxies and tunnels: the browser may be on another machine. */
const FORWARDING_HEADER =
  /^(?:forwarded|via|cf-.+|.*-client-?ip|x-real-ip|x-.*forwarded.*|x-.*-external-address)$/

/** Whether a request is local. After DNS rebinding to 127.0.0.1, `Host` still has the name of the other site. */
function isFromBrowserHere({ raw, headers }: FastifyRequest): boolean {
  const isFromHere = LOOPBACK_ADDRESS.test(raw.socket.remoteAddress ?? '')
  const isForwarded = Object.keys(headers).some((name) => FORWARDING_HEADER.test(name))
  return isFromHere && !isForwarded && LOOPBACK_HOST.test(headers.host ?? '')
}

/** Whether a page of another site, or of another port of this machine, caused the request. */
function isFromOtherSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

const MINUTE_SECONDS = 60
const LOG_EVERY_MS = 60_000

interface AuthFailureLimitOptions {
  /** The maximum number of invalid tokens per minute for each client; further ones get 429. `null` for no limit. */
  readonly perMinute: number | null
  readonly metrics: Pick<Metrics, 'authFailures'>
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Limits, counts and logs invalid tokens by client. Valid tokens are not limited: an attacker behind the same proxy or NAT must
 * not lock the operator out.
 */
export class AuthFailureLimit {
  readonly #options: AuthFailureLimitOptions
  readonly #limit: RateLimit
  readonly #clients: LogThrottle

  constructor(options: AuthFailureLimitOptions) {
    const { clock } = options
    this.#options = options
    this.#limit = new RateLimit(clock, { burstSeconds: MINUTE_SECONDS })
    this.#clients = new LogThrottle(clock, LOG_EVERY_MS)
  }

  /** Counts an invalid token. Returns a Problem if the client has sent too many. */
  add(address: string): Problem | undefined {
    const { perMinute, metrics, logger } = this.#options
    const client = clientOf(address)
    const rateLimit = perMinute === null ? null : perMinute / MINUTE_SECONDS
    const waitSeconds = this.#limit.take({ id: client, rateLimit }, 1)
    metrics.authFailures.inc({ code: waitSeconds === 0 ? 401 : 429 })
    const shown = this.#clients.clientKey(client)
    this.#clients.count(shown ?? '', (requests) =>
      logger.warn({ client: shown, requests }, 'token.rejected'),
    )
    if (waitSeconds === 0) return undefined
    return new Problem('too_many_auth_failures', {
      headers: { 'retry-after': String(waitSeconds) },
    })
  }
}

/** The address, or the /64 of an IPv6 address, which usually belongs to one client. */
export function clientOf(address: string): string {
  if (isIP(address) === 0) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}

import { formatTimestamp } from '@hookline/protocol'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import ipaddr from 'ipaddr.js'
import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { Role, StoredToken, Tokens } from '../../backend/tokens.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { ClientKeyThrottle } from '../../util/limits/log-throttle.ts'
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
  type Openers,
  sessionIn,
  THIS_MACHINE_ID,
  tokenIdOf,
} from './tokens.ts'

/** Who makes a request, and what it may do. */
export interface Actor {
  /** The id of the token or session; `admin-token` for the token of the operator; `this-machine` without a login. */
  readonly id: string
  /** The id of the token that opened the session; otherwise as `id`. */
  readonly tokenId: string
  readonly name: string
  readonly role: Role
  /** The token, or the secret of the session. */
  readonly credential: Redacted
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `authenticate` on every route that needs a token, before any other hook runs. */
    actor: Actor
  }
}

export interface Authentication {
  /** The token of the operator. It has the role admin and never expires. */
  readonly adminToken: Redacted
  readonly tokens: Pick<Tokens, 'current' | 'markUsed'>
  readonly openers: Openers
  /** Requests of browsers on this machine need no login, and have the role admin. */
  readonly isOpenHere: boolean
  readonly wrongTokens: WrongTokens
  readonly clock: Clock
  readonly logger: Logger
}

type Who = Omit<Actor, 'credential'>

/** The time of the last use is kept to the minute, so that not every request causes a write. */
const LAST_USE_PRECISION_MS = 60_000
const SAFE_METHODS = new Set(['GET', 'HEAD'])

/**
 * The hook that checks `Authorization: Bearer` (RFC 6750 §3), or the session of a browser. Without a token that is known and
 * has not expired the response is 401, or 429 where the client has sent many wrong ones. A correct token passes at any
 * time. The comparison takes constant time. A change that a browser makes needs the CSRF token too.
 */
export function authenticate(authentication: Authentication): onRequestHookHandler {
  return (request, _reply, done) => {
    const given = bearerOf(request)
    const actor =
      given === undefined
        ? browserActor(request, authentication)
        : tokenActor(given, request.ip, authentication)
    if (actor instanceof Problem) return done(actor)
    request.actor = actor
    return done()
  }
}

/** The token of a request; `undefined` where it has none. */
function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^Bearer +([^ ]+) *$/i.exec(headers.authorization ?? '')?.[1]
}

/** Who has this token. */
export function tokenActor(
  given: string,
  address: string,
  authentication: Authentication,
): Actor | Problem {
  const { adminToken, tokens, wrongTokens } = authentication
  const expected = Buffer.from(hashOf(adminToken.reveal()))
  const credential = new Redacted(given)
  if (timingSafeEqual(Buffer.from(hashOf(given)), expected)) return { ...OPERATOR, credential }
  const token = findToken(tokens, given)
  if (token === undefined) return wrongTokens.add(address) ?? unauthorized('invalid_token')
  if (isExpired(token, authentication.clock.wall())) {
    // Who has the token may know: for any other text, the response does not say what is wrong.
    const since = formatTimestamp(token.expiresAt!)
    return unauthorized(
      'invalid_token',
      `The token ${JSON.stringify(token.name)} expired at ${since}.`,
    )
  }
  return { ...usedNow(token, authentication), credential }
}

const OPERATOR: Who = {
  id: ADMIN_TOKEN_ID,
  tokenId: ADMIN_TOKEN_ID,
  name: 'admin token of the operator',
  role: 'admin',
}

/** The operator without a login. */
const THIS_MACHINE: Who = {
  id: THIS_MACHINE_ID,
  tokenId: THIS_MACHINE_ID,
  name: 'a browser on this machine',
  role: 'admin',
}

/** Who has the session of a browser, or whoever uses the browser where no login is needed. */
function browserActor(request: FastifyRequest, authentication: Authentication): Actor | Problem {
  const { tokens, openers, adminToken, isOpenHere, clock } = authentication
  const { headers } = request
  if (headers.authorization !== undefined || isFromOtherSite(headers)) return unauthorized()
  const secret = sessionIn(headers.cookie)
  const session = secret === undefined ? undefined : findToken(tokens, secret, 'ses')
  const isOpen = isOpenHere && isFromBrowserHere(request)
  if (session !== undefined && openers.isValid(session, clock.wall())) {
    const credential = new Redacted(secret!)
    return withCsrfToken(request, { ...usedNow(session, authentication), credential })
  }
  if (!isOpen) return unauthorized()
  return withCsrfToken(request, { ...THIS_MACHINE, credential: adminToken })
}

/** The actor, if it only reads, or if the request has the token that pages of other origins cannot read. */
function withCsrfToken({ method, headers }: FastifyRequest, actor: Actor): Actor | Problem {
  if (SAFE_METHODS.has(method)) return actor
  const given = Buffer.from(String(headers['x-csrf-token'] ?? ''))
  const expected = Buffer.from(csrfTokenOf(actor.credential.reveal()))
  const isSame = given.length === expected.length && timingSafeEqual(given, expected)
  return isSame ? actor : new Problem('csrf_token_missing')
}

function usedNow(token: StoredToken, { tokens, clock, logger }: Authentication): Who {
  const { id, name, role, openedBy = id } = token
  const now = clock.wall()
  // The time may be later than now, if the clock was set back.
  if (Math.abs(now - (token.lastUsedAt ?? 0)) >= LAST_USE_PRECISION_MS) {
    tokens.markUsed(id, now).catch((error: unknown) => {
      logger.warn({ err: error, tokenId: id }, 'token.last_use_not_kept')
    })
  }
  return { id, tokenId: tokenIdOf(openedBy), name, role }
}

export function unauthorized(error?: 'invalid_token', detail?: string): Problem {
  const challenge = 'Bearer realm="Hookline"'
  const reason = error === undefined ? challenge : `${challenge}, error="${error}"`
  const headers = { 'www-authenticate': reason }
  return new Problem('unauthorized', { headers, ...(detail !== undefined && { detail }) })
}

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i
/** What reverse proxies and tunnels add: the browser may be anywhere. */
const FORWARDING_HEADER =
  /^(?:forwarded|via|cf-.+|.*-client-?ip|x-real-ip|x-.*forwarded.*|x-.*-external-address)$/

/**
 * Whether a request comes from a browser or program on this machine, to an address of this machine. A page of another site
 * whose name resolves to 127.0.0.1 (DNS rebinding) names itself in `Host`.
 */
function isFromBrowserHere({ raw, headers }: FastifyRequest): boolean {
  const isFromHere = LOOPBACK_ADDRESS.test(raw.socket.remoteAddress ?? '')
  const isForwarded = Object.keys(headers).some((name) => FORWARDING_HEADER.test(name))
  return isFromHere && !isForwarded && LOOPBACK_HOST.test(headers.host ?? '')
}

/** Whether a browser says that a page of another site, or of another port of this machine, caused the request. */
function isFromOtherSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

const MINUTE_SECONDS = 60
const LOG_EVERY_MS = 60_000

interface WrongTokensOptions {
  /** Requests with a wrong token per minute and client that get a 401; `null` for no limit. */
  readonly perMinute: number | null
  readonly metrics: Pick<Metrics, 'wrongTokens'>
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Limits, counts and logs requests with a wrong token, by client. It never sees a correct token: behind a reverse proxy or
 * NAT, an attacker may have the same address as the operator, and must not lock the operator out.
 */
export class WrongTokens {
  readonly #options: WrongTokensOptions
  readonly #limit: RateLimit
  readonly #clients: ClientKeyThrottle

  constructor(options: WrongTokensOptions) {
    const { clock } = options
    this.#options = options
    this.#limit = new RateLimit(clock, { burstSeconds: MINUTE_SECONDS })
    this.#clients = new ClientKeyThrottle(clock, LOG_EVERY_MS)
  }

  /** Counts a request with a wrong token. Returns a Problem where the client has sent too many. */
  add(address: string): Problem | undefined {
    const { perMinute, metrics, logger } = this.#options
    const client = clientOf(address)
    const rateLimit = perMinute === null ? null : perMinute / MINUTE_SECONDS
    const waitSeconds = this.#limit.take({ id: client, rateLimit }, 1)
    metrics.wrongTokens.inc({ code: waitSeconds === 0 ? 401 : 429 })
    const counted = this.#clients.count(client)
    if (counted) logger.warn({ client: counted.key, requests: counted.requests }, 'token.refused')
    if (waitSeconds === 0) return undefined
    return new Problem('too_many_wrong_tokens', { headers: { 'retry-after': String(waitSeconds) } })
  }
}

/** The address, or the /64 of an IPv6 address: one client has that many addresses at least. */
export function clientOf(address: string): string {
  if (isIP(address) === 0) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { Problem } from '../problems/problem.ts'
import { fingerprint, seal, unseal } from './sealed-text.ts'

const HEADER = 'idempotency-key'
const REPEATED = 'idempotent-replayed'
const KEPT_MS = 24 * 60 * 60 * 1000
/** How long a key stays reserved by a node that died while it served the request. */
const RESERVED_MS = 60_000
const KEPT_HEADERS = ['content-type', 'location', 'etag']

interface KeptResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** `null` where it shows data of users. */
  readonly body: string | null
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether responses of the route show events, or other data of users. They are not kept: a purge could not reach them. */
    showsUsers?: true
  }
}

/**
 * Adds hooks that repeat the response to a POST with the same `Idempotency-Key` within 24 hours, without
 * running its handler. Only successful responses are kept, because failed requests change nothing. A
 * response may contain a secret, so it is sealed with the token of the client, which is not stored. A response that shows
 * data of users is not kept at all: it would outlive their deletion. Its repetition gets a problem that says so.
 */
export function repeatResponses(
  app: AdminApp,
  deps: Pick<AdminDeps, 'idempotentResponses' | 'clockWatch'>,
): void {
  const { idempotentResponses, clockWatch } = deps
  // The key of each request that runs its handler: only their responses are kept.
  const keys = new WeakMap<FastifyRequest, string>()

  app.addHook('preHandler', async (request, reply) => {
    const key = keyOf(request)
    if (key === undefined) return undefined
    const now = clockWatch.removalTime()
    const kept = await idempotentResponses.find(key, now)
    if (kept === undefined) {
      if (!(await idempotentResponses.reserve(key, { now, until: now + RESERVED_MS })))
        throw new Problem('request_under_way', { headers: { 'retry-after': '1' } })
      keys.set(request, key)
      return undefined
    }
    if (kept.fingerprint !== fingerprintOf(request)) throw new Problem('idempotency_key_reused')
    const text = unseal(kept.sealed, request.actor.credential, key)
    return sendAgain(reply, JSON.parse(text) as KeptResponse)
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const key = keys.get(request)
    if (key === undefined) return
    try {
      if (reply.statusCode < 300 && isText(payload)) await keep(request, reply, key, payload ?? '')
    } finally {
      await idempotentResponses.release(key)
    }
  })

  async function keep(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    body: string,
  ): Promise<void> {
    const { showsUsers = false } = request.routeOptions.config
    const kept: KeptResponse = {
      status: reply.statusCode,
      headers: headersOf(reply),
      body: showsUsers ? null : body,
    }
    const response = JSON.stringify(kept)
    const now = clockWatch.removalTime()
    const answer = {
      key,
      fingerprint: fingerprintOf(request),
      sealed: seal(response, request.actor.credential, key),
      expiresAt: now + KEPT_MS,
    }
    await idempotentResponses.add(answer, now)
  }
}

/** The same key sent with two tokens is two keys. */
function keyOf({ method, headers, actor }: FastifyRequest): string | undefined {
  const key = headers[HEADER]
  if (method !== 'POST' || key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return `${actor.id} ${key}`
  const detail = 'Idempotency-Key must be 1 to 255 visible ASCII characters, a UUID for example.'
  throw new Problem('bad_request', { detail })
}

function fingerprintOf({ method, url, body, actor }: FastifyRequest): string {
  return fingerprint(`${method} ${url}\n${JSON.stringify(body)}`, actor.credential)
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const entries = KEPT_HEADERS.map((name) => [name, reply.getHeader(name)] as const)
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => !!entry[1]))
}

function isText(payload: unknown): payload is string | null | undefined {
  return typeof payload === 'string' || payload === null || payload === undefined
}

function sendAgain(reply: FastifyReply, { status, headers, body }: KeptResponse): FastifyReply {
  if (body === null) {
    const { location } = headers
    throw new Problem('response_not_kept', { headers: location === undefined ? {} : { location } })
  }
  reply.code(status).headers({ ...headers, [REPEATED]: 'true' })
  // The body is JSON already and must not be serialised again.
  return reply.serializer((text) => text as string).send(body)
}

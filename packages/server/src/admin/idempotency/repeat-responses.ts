import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { Problem } from '../problems/problem.ts'
import { fingerprintOf, type KeptResponse, openKept, toKeep } from './kept-response.ts'

const HEADER = 'idempotency-key'
const REPEATED = 'idempotent-replayed'
/** How long a key stays reserved by a node that died while it served the request. */
const RESERVED_MS = 60_000
const KEPT_HEADERS = ['content-type', 'location', 'etag']

/**
 * Adds hooks that repeat the response to a POST with the same `Idempotency-Key` within 24 hours, without
 * running its handler. Only successful responses are kept, because failed requests change nothing. A route that makes a
 * record keeps its response together with the record (`withResponse`). Others do the same thing when they run again: their
 * responses are kept here, when they are sent. A
 * response may contain a secret, so it is sealed with the token of the client, which is not stored. A response that shows
 * data of users is not kept at all: it would outlive their deletion. Its repetition gets a problem that says so.
 */
export function repeatResponses(
  app: AdminApp,
  { idempotentResponses, clockWatch }: Pick<AdminDeps, 'idempotentResponses' | 'clockWatch'>,
): void {
  app.decorateRequest('idempotency')

  app.addHook('preHandler', async (request, reply) => {
    const key = keyOf(request)
    if (key === undefined) return undefined
    const now = clockWatch.removalTime()
    const kept = await idempotentResponses.find(key, now)
    if (kept === undefined) {
      if (!(await idempotentResponses.reserve(key, { now, until: now + RESERVED_MS })))
        throw new Problem('request_under_way', { headers: { 'retry-after': '1' } })
      request.idempotency = { key, now, isKept: false }
      return undefined
    }
    if (kept.fingerprint !== fingerprintOf(request)) throw new Problem('idempotency_key_reused')
    return sendAgain(reply, openKept(kept.sealed, request, key))
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const { idempotency } = request
    if (idempotency === undefined) return
    try {
      if (idempotency.isKept || reply.statusCode >= 300 || !isText(payload)) return
      const response = { status: reply.statusCode, headers: headersOf(reply), body: payload ?? '' }
      await idempotentResponses.add(toKeep(response, request, idempotency))
    } finally {
      await idempotentResponses.release(idempotency.key)
    }
  })
}

/** The same key sent with two tokens is two keys. */
function keyOf({ method, headers, actor }: FastifyRequest): string | undefined {
  const key = headers[HEADER]
  if (method !== 'POST' || key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return `${actor.id} ${key}`
  const detail = 'Idempotency-Key must be 1 to 255 visible ASCII characters, a UUID for example.'
  throw new Problem('bad_request', { detail })
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

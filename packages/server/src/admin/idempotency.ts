import type { FastifyReply, FastifyRequest } from 'fastify'
import { createHmac, hkdfSync } from 'node:crypto'
import type { AuditEntry } from '../backend/audit.ts'
import type { IdempotentResponses, ResponseToKeep } from '../backend/idempotent-responses.ts'
import { decrypt, encrypt } from '../util/secrets/secret-box.ts'
import type { Redacted } from '../util/secrets/redacted.ts'
import type { ClockWatch } from '../util/workers/clock-watch.ts'
import type { AdminApp } from './api/admin-app.ts'
import { Problem } from './problems/problem.ts'

const KEPT_MS = 24 * 60 * 60 * 1000
const HEADER = 'idempotency-key'
const REPEATED = 'idempotent-replayed'
/** How long a key stays reserved by a node that died while it served the request. */
const RESERVED_MS = 60_000
const KEPT_HEADERS = ['content-type', 'location', 'etag']

/** The response to a request, as it is kept for its `Idempotency-Key`. */
interface KeptResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON; `null` where it shows data of users. */
  readonly body: string | null
}

/** The response of a route that makes a record, known before the record is made. */
interface MadeResponse {
  readonly status: 200 | 201 | 202
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The `Idempotency-Key` of a request that runs its handler, and what has become of it. */
    idempotency: { readonly key: string; readonly now: number; isKept: boolean } | undefined
  }
}

/**
 * The audit entry of a request that makes a record, with its response if it has an `Idempotency-Key`. The backend keeps the
 * response in the transaction that makes the record. Wherever the process ends, a repeated request makes no second record.
 */
export function withResponse(
  entry: AuditEntry,
  { status, headers, body }: MadeResponse,
  request: FastifyRequest,
): AuditEntry {
  if (request.idempotency === undefined) return entry
  request.idempotency.isKept = true
  const type = { 'content-type': 'application/json; charset=utf-8' }
  const kept = { status, headers: { ...type, ...headers }, body: JSON.stringify(body) }
  return { ...entry, response: toKeep(kept, request, request.idempotency) }
}

/** Sends the response that `withResponse` took. */
export function respondWith({ status, headers, body }: MadeResponse, reply: FastifyReply): object {
  reply.code(status).headers(headers)
  return body
}

/** The response for the backend: sealed with the token of the client, and without data of users. */
function toKeep(
  response: KeptResponse,
  request: FastifyRequest,
  { key, now }: { readonly key: string; readonly now: number },
): ResponseToKeep {
  const { showsUsers = false } = request.routeOptions.schema ?? {}
  const kept: KeptResponse = showsUsers ? { ...response, body: null } : response
  return {
    response: {
      key,
      fingerprint: fingerprintOf(request),
      sealed: seal(JSON.stringify(kept), request.actor.credential, key),
      expiresAt: now + KEPT_MS,
    },
    now,
  }
}

/** The same for each request with the same method, URL and body. */
function fingerprintOf({ method, url, body, actor }: FastifyRequest): string {
  return fingerprint(`${method} ${url}\n${JSON.stringify(body)}`, actor.credential)
}

/** The dependencies of repeated responses. */
export interface IdempotencyDeps {
  readonly idempotentResponses: IdempotentResponses
  readonly clockWatch: Pick<ClockWatch, 'removalTime'>
}

/**
 * Adds hooks that repeat the response to a POST with the same `Idempotency-Key` within 24 hours, without running its
 * handler. Only successful responses are kept: failed requests change nothing. A route that makes a record keeps its
 * response together with the record (`withResponse`); those of other routes, which may run twice, are kept when sent.
 * A response may contain a secret, so it is sealed with the token of the client, which is not stored. One that shows data of
 * users is not kept: it would outlive their deletion, so a repeated request gets a problem.
 */
export function repeatResponses(
  app: AdminApp,
  { idempotentResponses, clockWatch }: IdempotencyDeps,
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
    const response = unseal(kept.sealed, request.actor.credential, key)
    return sendAgain(reply, JSON.parse(response) as KeptResponse)
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

/** Encrypts `text` with a key made from `credential` and `label`: nobody can read it without both. */
export function seal(text: string, credential: Redacted, label: string): string {
  return encrypt(text, sealingKey(credential, label)).toString('base64')
}

/**
 * Decrypts what `seal` returned.
 * @throws if credential or label is a different one, or the text was altered
 */
export function unseal(sealed: string, credential: Redacted, label: string): string {
  return decrypt(Buffer.from(sealed, 'base64'), sealingKey(credential, label))
}

/** A hash of `text` that reveals nothing about it without `credential` (HMAC-SHA-256). */
export function fingerprint(text: string, credential: Redacted): string {
  return createHmac('sha256', credential.reveal()).update(text).digest('hex')
}

function sealingKey(credential: Redacted, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', credential.reveal(), label, 'hookline sealed text', 32))
}

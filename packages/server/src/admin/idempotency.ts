import type { FastifyReply, FastifyRequest } from 'fastify'
import { createHmac, hkdfSync } from 'node:crypto'
import type { AuditEntry } from '../backend/audit.ts'
import type { IdempotentResponses, ResponseToStore } from '../backend/idempotent-responses.ts'
import { decrypt, encrypt } from '../util/secrets/secret-box.ts'
import type { Redacted } from '../util/secrets/redacted.ts'
import type { ClockWatch } from '../util/workers/clock-watch.ts'
import type { AdminApp } from './api/admin-app.ts'
import { Problem } from './problems/problem.ts'

const RESPONSE_TTL_MS = 24 * 60 * 60 * 1000
const HEADER = 'idempotency-key'
const REPEATED = 'idempotent-replayed'
/** How long a key remains reserved if the node that handles its request dies. */
const RESERVED_MS = 60_000
const STORED_HEADERS = ['content-type', 'location', 'etag']

interface StoredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON; `null` if it shows user data. */
  readonly body: string | null
}

/** The response from a route that creates a record, before the record is stored. */
interface CreatedRecord {
  readonly status: 200 | 201 | 202
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent for requests without an `Idempotency-Key`. */
    idempotency: { readonly key: string; readonly now: number; isStored: boolean } | undefined
  }
}

/**
 * The audit entry of a request that creates a record, with the response if there is an `Idempotency-Key`. The backend
 * stores both in one transaction with the record, so a repeated request creates no second record even after a crash.
 */
export function withResponse(
  entry: AuditEntry,
  { status, headers, body }: CreatedRecord,
  request: FastifyRequest,
): AuditEntry {
  if (request.idempotency === undefined) return entry
  request.idempotency.isStored = true
  const type = { 'content-type': 'application/json; charset=utf-8' }
  const stored = { status, headers: { ...type, ...headers }, body: JSON.stringify(body) }
  return { ...entry, response: toStoredResponse(stored, request, request.idempotency) }
}

/** Sends the response passed to `withResponse`. */
export function respondWith({ status, headers, body }: CreatedRecord, reply: FastifyReply): object {
  reply.code(status).headers(headers)
  return body
}

/** The response for the backend: sealed with the client's token, and without user data. */
function toStoredResponse(
  response: StoredResponse,
  request: FastifyRequest,
  { key, now }: { readonly key: string; readonly now: number },
): ResponseToStore {
  const { showsUsers = false } = request.routeOptions.schema ?? {}
  const stored: StoredResponse = showsUsers ? { ...response, body: null } : response
  return {
    response: {
      key,
      fingerprint: fingerprintOf(request),
      sealed: seal(JSON.stringify(stored), request.actor.credential, key),
      expiresAt: now + RESPONSE_TTL_MS,
    },
    now,
  }
}

function fingerprintOf({ method, url, body, actor }: FastifyRequest): string {
  return fingerprint(`${method} ${url}\n${JSON.stringify(body)}`, actor.credential)
}

export interface IdempotencyDeps {
  readonly idempotentResponses: IdempotentResponses
  readonly clockWatch: Pick<ClockWatch, 'removalTime'>
}

/**
 * Adds hooks that repeat the response to a POST with the same `Idempotency-Key` within 24 hours. Only successful responses
 * are stored: with the record (`withResponse`) if the route creates one, otherwise when sent. They may contain secrets, so
 * they are sealed with the client's token, which is not stored. For a response with user data, only the status and headers are
 * stored: its body would survive a deletion of the users.
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
    const stored = await idempotentResponses.find(key, now)
    if (stored === undefined) {
      if (!(await idempotentResponses.reserve(key, { now, until: now + RESERVED_MS })))
        throw new Problem('request_in_progress', { headers: { 'retry-after': '1' } })
      request.idempotency = { key, now, isStored: false }
      return undefined
    }
    if (stored.fingerprint !== fingerprintOf(request)) throw new Problem('idempotency_key_reused')
    const response = unseal(stored.sealed, request.actor.credential, key)
    return sendAgain(reply, JSON.parse(response) as StoredResponse)
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const { idempotency } = request
    if (idempotency === undefined) return
    try {
      if (idempotency.isStored || reply.statusCode >= 300 || !isText(payload)) return
      const response = { status: reply.statusCode, headers: headersOf(reply), body: payload ?? '' }
      await idempotentResponses.add(toStoredResponse(response, request, idempotency))
    } finally {
      await idempotentResponses.release(idempotency.key)
    }
  })
}

/** Keys are separate for each token. */
function keyOf({ method, headers, actor }: FastifyRequest): string | undefined {
  const key = headers[HEADER]
  if (method !== 'POST' || key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return `${actor.id} ${key}`
  const detail = 'Idempotency-Key must be 1 to 255 visible ASCII characters, such as a UUID.'
  throw new Problem('bad_request', { detail })
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const entries = STORED_HEADERS.map((name) => [name, reply.getHeader(name)] as const)
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => !!entry[1]))
}

function isText(payload: unknown): payload is string | null | undefined {
  return typeof payload === 'string' || payload === null || payload === undefined
}

function sendAgain(reply: FastifyReply, { status, headers, body }: StoredResponse): FastifyReply {
  if (body === null) {
    const { location } = headers
    throw new Problem('response_not_stored', {
      headers: location === undefined ? {} : { location },
    })
  }
  reply.code(status).headers({ ...headers, [REPEATED]: 'true' })
  // The body is already JSON.
  return reply.serializer((text) => text as string).send(body)
}

/** Encrypts `text` with a key derived from `credential` and `label`. */
export function seal(text: string, credential: Redacted, label: string): string {
  return encrypt(text, sealingKey(credential, label)).toString('base64')
}

/** Decrypts the result of `seal`. @throws if the credential or label differs, or the text was altered */
export function unseal(sealed: string, credential: Redacted, label: string): string {
  return decrypt(Buffer.from(sealed, 'base64'), sealingKey(credential, label))
}

export function fingerprint(text: string, credential: Redacted): string {
  return createHmac('sha256', credential.reveal()).update(text).digest('hex')
}

function sealingKey(credential: Redacted, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', credential.reveal(), label, 'hookline sealed text', 32))
}

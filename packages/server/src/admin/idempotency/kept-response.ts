import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuditEntry } from '../../backend/audit.ts'
import type { ResponseToKeep } from '../../backend/idempotent-responses.ts'
import { fingerprint, seal, unseal } from './sealed-text.ts'

const KEPT_MS = 24 * 60 * 60 * 1000

/** The response to a request, as it is kept for its `Idempotency-Key`. */
export interface KeptResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON; `null` where it shows data of users. */
  readonly body: string | null
}

/** The response of a route that makes a record, known before the record is made. */
export interface MadeResponse {
  readonly status: 200 | 201 | 202
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether responses of the route show events, or other data of users. They are not kept: a purge could not reach them. */
    showsUsers?: true
  }
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
export function toKeep(
  response: KeptResponse,
  request: FastifyRequest,
  { key, now }: { readonly key: string; readonly now: number },
): ResponseToKeep {
  const { showsUsers = false } = request.routeOptions.config
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

/** Opens what `toKeep` has sealed. */
export function openKept(sealed: string, { actor }: FastifyRequest, key: string): KeptResponse {
  return JSON.parse(unseal(sealed, actor.credential, key)) as KeptResponse
}

/** The same for each request with the same method, URL and body. */
export function fingerprintOf({ method, url, body, actor }: FastifyRequest): string {
  return fingerprint(`${method} ${url}\n${JSON.stringify(body)}`, actor.credential)
}

import { INGEST_CODES, type IngestCodeName, ingestError, type Source } from '@hookline/protocol'
import type { FastifyReply } from 'fastify'

export interface IngestResponse {
  readonly status: number
  /** A JSON object, as text. */
  readonly body: string
  readonly retryAfterSeconds?: number
}

/** The only response that every client library understands as success. */
export const SUCCESS: IngestResponse = response(200, { success: true })

/** The response if some calls in a batch were stored, and the `rejected` ones were not. */
export function partialSuccess(rejected: readonly RejectedCall[]): IngestResponse {
  return response(200, { success: true, rejected })
}

interface ErrorDetails {
  readonly retryAfterSeconds?: number | undefined
  readonly reason?: string | undefined
}

/** The response if nothing was stored. */
export function errorResponse(
  code: IngestCodeName,
  { retryAfterSeconds, reason }: ErrorDetails = {},
): IngestResponse {
  const error = response(INGEST_CODES[code].status, ingestError(code, reason))
  return retryAfterSeconds === undefined ? error : { ...error, retryAfterSeconds }
}

/** The response if no call in a batch was stored. The first call determines the code. */
export function batchErrorResponse(
  rejected: readonly [RejectedCall, ...RejectedCall[]],
): IngestResponse {
  const [{ code }] = rejected
  return response(INGEST_CODES[code].status, { ...ingestError(code), rejected })
}

export function response(status: number, fields: object): IngestResponse {
  return { status, body: JSON.stringify(fields) }
}

/** Sends JSON with a Content-Length, which every client library can read. */
export function sendResponse(
  reply: FastifyReply,
  { status, body, retryAfterSeconds }: IngestResponse,
): void {
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds)
  // Includes the charset; otherwise the framework would add it to every response.
  void reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body)
}

/** Why a call, or a whole request, is refused. */
export interface IngestRefusal {
  readonly refused: IngestCodeName
  /** The source of the write key, if it is known but disabled. */
  readonly source?: Source
}

export function isRefused(result: object): result is IngestRefusal {
  return 'refused' in result
}

/** A rejected call in a batch, as the response lists it. */
export interface RejectedCall {
  /** From 0. */
  readonly index: number
  /** `null` if absent or not a string. */
  readonly messageId: string | null
  readonly code: IngestCodeName
  readonly message: string
}

import { INGEST_CODES, type IngestCodeName, ingestError, type Source } from '@hookline/protocol'
import type { FastifyReply } from 'fastify'

/** A response of the ingestion API. */
export interface IngestResponse {
  readonly status: number
  /** A JSON object, as text. */
  readonly body: string
  readonly retryAfterSeconds?: number
}

/** The only response that every client library understands as success (spec 01, §What is answered). */
export const SUCCESS: IngestResponse = response(200, { success: true })

/** The response when some calls of a batch were stored, and these were not. */
export function partialSuccess(rejected: readonly RejectedCall[]): IngestResponse {
  return response(200, { success: true, rejected })
}

interface ErrorDetails {
  readonly retryAfterSeconds?: number | undefined
  /** The reason behind the code, for every client to read. */
  readonly reason?: string | undefined
}

/** The response when nothing was stored. */
export function errorResponse(
  code: IngestCodeName,
  { retryAfterSeconds, reason }: ErrorDetails = {},
): IngestResponse {
  const error = response(INGEST_CODES[code].status, ingestError(code, reason))
  return retryAfterSeconds === undefined ? error : { ...error, retryAfterSeconds }
}

/** The response when nothing of a batch was stored because of these calls. The first one determines the code. */
export function batchErrorResponse(
  rejected: readonly [RejectedCall, ...RejectedCall[]],
): IngestResponse {
  const [{ code }] = rejected
  return response(INGEST_CODES[code].status, { ...ingestError(code), rejected })
}

/** A response whose body has these fields. */
export function response(status: number, fields: object): IngestResponse {
  return { status, body: JSON.stringify(fields) }
}

/** Sends a response as JSON with a Content-Length, which every client library can read. */
export function sendResponse(
  reply: FastifyReply,
  { status, body, retryAfterSeconds }: IngestResponse,
): void {
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds)
  // It names the charset, so that the framework does not add it.
  void reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body)
}

/** Why a call, or a whole request, is refused. */
export interface Refused {
  readonly refused: IngestCodeName
  /** Whose write key it has, where that is known and does not count. */
  readonly source?: Source
}

/** Whether a step refused its input. */
export function isRefused(result: object): result is Refused {
  return 'refused' in result
}

/** A refused call of a batch, as the response lists it. */
export interface RejectedCall {
  /** The place of the call in the batch, from 0. */
  readonly index: number
  /** The messageId of the call; `null` where it has none that is a string. */
  readonly messageId: string | null
  readonly code: IngestCodeName
  readonly message: string
}

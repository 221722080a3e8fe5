import { INGEST_CODES, type IngestCodeName, ingestError } from '@hookline/protocol'
import type { FastifyReply } from 'fastify'

/** What a request is answered with. */
export interface Answer {
  readonly status: number
  /** A JSON object, as text. */
  readonly body: string
  readonly retryAfterSeconds?: number
}

/** One call of a batch that was not taken. */
export interface RejectedCall {
  /** Its place in the batch, from 0. */
  readonly index: number
  /** As the call says; `null` where it says none that is a string. */
  readonly messageId: string | null
  readonly code: IngestCodeName
  readonly message: string
}

/** The one answer that every client library takes for success (spec 01, §What is answered). */
export const SUCCESS: Answer = answer(200, { success: true })

/** Something was stored, and these calls were not. */
export function partialSuccess(rejected: readonly RejectedCall[]): Answer {
  return answer(200, { success: true, rejected })
}

/** Nothing was stored. */
export function refusal(code: IngestCodeName, retryAfterSeconds?: number): Answer {
  const refused = answer(INGEST_CODES[code].status, ingestError(code))
  return retryAfterSeconds === undefined ? refused : { ...refused, retryAfterSeconds }
}

/** Nothing of a batch was stored, because of these calls; the first one gives the code. */
export function batchRefusal(rejected: readonly [RejectedCall, ...RejectedCall[]]): Answer {
  const [{ code }] = rejected
  return answer(INGEST_CODES[code].status, { ...ingestError(code), rejected })
}

/** An answer with these members. */
export function answer(status: number, members: object): Answer {
  return { status, body: JSON.stringify(members) }
}

/** Sends an answer as every client library can read it: JSON, with the length known. */
export function sendAnswer(reply: FastifyReply, { status, body, retryAfterSeconds }: Answer): void {
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds)
  // With the charset named, the framework has nothing to add.
  void reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body)
}

import { INGEST_CODES, ingestError, type IngestCodeName } from '@hookline/protocol'
import type { FastifyReply } from 'fastify'

/** Names the charset, so that the framework does not add it. */
const JSON_TYPE = 'application/json; charset=utf-8'

/** An error response as it is sent. */
interface ErrorResponse {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** Makes the response to an error outside a route. The URL of the request decides which API's format applies. */
export type ErrorFormat = (code: IngestCodeName, request: FailedRequest) => ErrorResponse

interface FailedRequest {
  /** `''` where no readable URL arrived. */
  readonly url: string
  readonly requestId: string
}

/** The error format of the ingestion API. */
export const ingestionErrorFormat: ErrorFormat = (code) => ({
  status: INGEST_CODES[code].status,
  contentType: JSON_TYPE,
  body: JSON.stringify(ingestError(code)),
})

/** Sends an error response with the id under which the request is in the log. */
export function sendError(reply: FastifyReply, code: IngestCodeName, format: ErrorFormat): void {
  const { id: requestId, url } = reply.request
  const { status, contentType, body } = format(code, { url, requestId })
  const headers = { 'x-request-id': requestId, 'content-type': contentType }
  void reply.code(status).headers(headers).send(body)
}

/** Sends a JSON text. */
export function sendJson(reply: FastifyReply, status: number, json: string): void {
  void reply.code(status).header('content-type', JSON_TYPE).send(json)
}

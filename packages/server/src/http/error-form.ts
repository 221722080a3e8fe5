import { INGEST_CODES, type IngestCodeName } from '@hookline/protocol'
import type { FastifyReply } from 'fastify'
import { errorBody, JSON_TYPE } from './send-json.ts'

/** An error answer as it goes over the wire. */
interface ErrorAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** How what goes wrong outside a route is answered: to whom it was meant for, by the path that was asked for. */
export type ErrorForm = (code: IngestCodeName, asked: AskedFor) => ErrorAnswer

interface AskedFor {
  /** `''` where nothing that can be read came. */
  readonly url: string
  readonly requestId: string
}

/** The form of the ingestion API. */
export const ingestionForm: ErrorForm = (code) => ({
  status: INGEST_CODES[code].status,
  contentType: JSON_TYPE,
  body: errorBody(code),
})

/** Answers in this form, with the id under which the log tells of the request. */
export function sendError(reply: FastifyReply, code: IngestCodeName, form: ErrorForm): void {
  const { id: requestId, url } = reply.request
  const { status, contentType, body } = form(code, { url, requestId })
  const headers = { 'x-request-id': requestId, 'content-type': contentType }
  void reply.code(status).headers(headers).send(body)
}

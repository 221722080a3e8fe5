import type { IngestCodeName } from '@hookline/protocol'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type ErrorForm, sendError } from './error-form.ts'
import { notFoundAnswerer } from './not-found.ts'

/** The errors of Fastify that are the client's doing and have a code of their own. */
const CODES: ReadonlyMap<string, IngestCodeName> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'batch_too_large'],
  ['FST_ERR_CTP_INVALID_JSON_BODY', 'invalid_json'],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', 'invalid_json'],
])

/** Answers whatever a handler threw or the framework refused; logs what is the server's own fault. */
export function errorAnswerer(logger: Logger | undefined, form: ErrorForm) {
  const answerNotFound = notFoundAnswerer(form)
  return function answerError(
    error: FastifyError,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    // An unreadable body at a path that does not exist is still a wrong path.
    if (request.is404) return answerNotFound(request, reply)
    const code = codeOf(error)
    if (code === 'internal_error') {
      logger?.error({ err: error, requestId: request.id, method: request.method }, 'request failed')
    }
    sendError(reply, code, form)
  }
}

/** Answers what went wrong before a route was found: an unreadable URL, a parameter too long. */
export function routingErrorAnswerer(form: ErrorForm) {
  return function answerRoutingError(
    error: FastifyError,
    _request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    sendError(reply, codeOf(error), form)
  }
}

function codeOf(error: FastifyError): IngestCodeName {
  const { statusCode = 500 } = error
  return CODES.get(error.code) ?? (statusCode < 500 ? 'bad_request' : 'internal_error')
}

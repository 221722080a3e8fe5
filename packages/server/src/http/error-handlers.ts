import type { IngestCodeName } from '@hookline/protocol'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../telemetry/logger.ts'
import { allowedMethods } from '../util/allowed-methods.ts'
import { systemClock } from '../util/time/clock.ts'
import { LogThrottle } from '../util/limits/log-throttle.ts'
import type { InTurn } from './pipelining.ts'
import { type ErrorFormat, sendError } from './responses.ts'

/** Errors of Fastify that the client caused and that have their own code. */
const CODES: ReadonlyMap<string, IngestCodeName> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'batch_too_large'],
  ['FST_ERR_CTP_INVALID_JSON_BODY', 'invalid_json'],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', 'invalid_json'],
  ['HOOKLINE_WRONG_HOST', 'wrong_host'],
])

const LOG_EVERY_MS = 10_000

/**
 * Responds to errors that a handler threw or the framework raised. Logs those that the server caused: the same error at
 * most once in 10 s, with the number of requests.
 */
export function errorHandler(logger: Logger | undefined, format: ErrorFormat) {
  const handleNotFound = notFoundHandler(format)
  const throttle = new LogThrottle(systemClock, LOG_EVERY_MS)
  return function handleError(
    error: FastifyError,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    // At a path that does not exist, the response is 404 even if the body cannot be read.
    if (request.is404) return handleNotFound(request, reply)
    const code = codeOf(error)
    if (code === 'internal_error') {
      const { id: requestId, method } = request
      const requests = throttle.count(`${method} ${error.message}`)
      if (requests > 0) logger?.error({ err: error, requestId, method, requests }, 'request.failed')
    }
    sendError(reply, code, format)
  }
}

/** Responds to errors before a route was found: an unreadable URL, a parameter that is too long. */
export function routingErrorHandler(format: ErrorFormat, inTurn: InTurn) {
  return function handleRoutingError(
    error: FastifyError,
    _request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    inTurn(reply.raw, () => sendError(reply, codeOf(error), format))
  }
}

/** Responds with 405 and `Allow` where the path has other methods, else with 404. */
export function notFoundHandler(format: ErrorFormat) {
  return function handleNotFound(request: FastifyRequest, reply: FastifyReply): void {
    const allowed = allowedMethods(request)
    if (allowed.length === 0) return sendError(reply, 'not_found', format)
    void reply.header('allow', allowed.join(', '))
    sendError(reply, 'method_not_allowed', format)
  }
}

function codeOf(error: FastifyError): IngestCodeName {
  const { statusCode = 500 } = error
  return CODES.get(error.code) ?? (statusCode < 500 ? 'bad_request' : 'internal_error')
}

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { BackendUnavailable } from '../../backend/backend.ts'
import { allowedMethods } from '../../util/allowed-methods.ts'
import { Problem } from './problem.ts'
import type { ProblemCodeName } from './problem-codes.ts'

/** Turns every error response of `app` into a Problem document, and logs errors with status 500 and above. */
export function handleErrors(app: FastifyInstance, logger: Logger): void {
  app.setNotFoundHandler((request, reply) => send(routingProblem(request), request, reply))
  app.setErrorHandler((error: Error, request, reply) => {
    // An unreadable body at a wrong path is still a wrong path.
    const problem = request.is404 ? routingProblem(request) : problemOf(error)
    if (problem.statusCode >= 500) {
      const { method, routeOptions } = request
      const context = { err: error, requestId: request.id, method, route: routeOptions.url }
      logger.error(context, 'management_request.failed')
    }
    return send(problem, request, reply)
  })
}

function routingProblem(request: FastifyRequest): Problem {
  const allowed = allowedMethods(request).join(', ')
  if (allowed === '') return new Problem('not_found')
  const detail = `This path takes ${allowed}.`
  return new Problem('method_not_allowed', { detail, headers: { allow: allowed } })
}

function send(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(problem.statusCode)
    .headers(problem.headers)
    .type('application/problem+json')
    .send(JSON.stringify(problem.document(request.id)))
}

function problemOf(error: Error): Problem {
  if (error instanceof Problem) return error
  if (error instanceof BackendUnavailable) {
    return new Problem('unavailable', { cause: error, headers: { 'retry-after': '1' } })
  }
  return new Problem(codeOf(error as FastifyError), { cause: error })
}

/** The code for errors of Fastify itself; any other error is a bug. */
function codeOf({ code, statusCode = 500 }: FastifyError): ProblemCodeName {
  if (statusCode === 413) return 'body_too_large'
  if (statusCode === 415) return 'unsupported_media_type'
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY') return 'invalid_json'
  return statusCode >= 400 && statusCode < 500 ? 'bad_request' : 'internal_error'
}

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../../telemetry/logger.ts'
import { BackendUnavailableError, UnstorableTextError } from '../../backend/backend.ts'
import { ResponseAlreadyStoredError } from '../../backend/idempotent-responses.ts'
import { allowedMethods } from '../../util/allowed-methods.ts'
import type { Clock } from '../../util/time/clock.ts'
import { isDiskError } from '../../util/durable-file.ts'
import { BodyTurns, DROPPED_BYTES_PER_TURN, dropRest } from '../../util/limits/body-turns.ts'
import { LogThrottle } from '../../util/limits/log-throttle.ts'
import { Problem } from './problem.ts'
import type { ProblemCodeName } from './problem-codes.ts'

const LOG_EVERY_MS = 10_000

/**
 * The maximum number of bytes read from a refused body: enough for an import slightly over its
 * limit.
 */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024

/** Responds to every error with a Problem. Logs status 500 and above, the same error at most once every 10 s. */
export function handleErrors(
  app: FastifyInstance,
  { logger, clock }: { readonly logger: Logger; readonly clock: Clock },
): void {
  const throttle = new LogThrottle(clock, LOG_EVERY_MS)
  const dropping = new BodyTurns(clock, DROPPED_BYTES_PER_TURN)
  app.setNotFoundHandler((request, reply) => send(routingProblem(request), request, reply))
  app.setErrorHandler((error: Error, request, reply) => {
    // An unknown path or method takes precedence over an unreadable body.
    const problem = request.is404 ? routingProblem(request) : problemOf(error)
    if (problem.statusCode >= 500) {
      const { method, routeOptions } = request
      const { url: route } = routeOptions
      const context = { err: error, requestId: request.id, method, route }
      throttle.count(`${method} ${route} ${error.message}`, (requests) =>
        logger.error({ ...context, requests }, 'management_request.failed'),
      )
    }
    if (!request.raw.complete) {
      // The framework would close the connection while the client is still writing.
      reply.removeHeader('connection')
      dropRest(request.raw, dropping, MAX_DROPPED_BYTES)
    }
    return send(problem, request, reply)
  })
}

function routingProblem(request: FastifyRequest): Problem {
  const allowed = allowedMethods(request).join(', ')
  if (allowed === '') return new Problem('not_found')
  const detail = `Allowed methods: ${allowed}.`
  return new Problem('method_not_allowed', { detail, headers: { allow: allowed } })
}

/** Statuses of records that do not exist, and of a session that has ended. */
const ABSENT: ReadonlySet<number> = new Set([401, 404])

/**
 * With `Prefer: status=200`, the response for an absent record has the status 200, and its own status only in the body: browsers log an
 * error for every other status, and for the console, absence is expected.
 */
function send(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isExpected =
    request.headers['prefer'] === 'status=200' &&
    request.method === 'GET' &&
    ABSENT.has(problem.statusCode)
  if (isExpected) void reply.header('preference-applied', 'status=200')
  return reply
    .code(isExpected ? 200 : problem.statusCode)
    .headers(problem.headers)
    .type('application/problem+json')
    .send(JSON.stringify(problem.document(request.id)))
}

function problemOf(error: Error): Problem {
  if (error instanceof Problem) return error
  if (error instanceof ResponseAlreadyStoredError)
    return new Problem('request_in_progress', { headers: { 'retry-after': '1' } })
  if (error instanceof UnstorableTextError)
    return new Problem('bad_request', { detail: error.message })
  if (error instanceof BackendUnavailableError || isDiskError(error)) {
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

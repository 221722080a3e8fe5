import fastify, { type FastifyInstance, LogController } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { answerUnusualRequests, clientErrorAnswerer } from './client-errors.ts'
import { endIdleConnections } from './end-idle-connections.ts'
import { type ErrorForm, ingestionForm } from './error-form.ts'
import { errorAnswerer, routingErrorAnswerer } from './framework-errors.ts'
import { notFoundAnswerer } from './not-found.ts'

/** All headers of a request together; what INGEST_CODES.headers_too_large says. */
const MAX_HEADER_BYTES = 16 * 1024

/** Most time past its deadline that a slow request may stay unnoticed. */
const LONGEST_CHECK_MS = 1_000

/**
 * The HTTP server, without routes and not yet listening. Whatever goes wrong outside a route is answered
 * in the form of the ingestion API, or in `errorForm`: JSON, never HTML, empty or a redirect, because
 * client libraries retry or crash on those. A plugin with a prefix may set its own not-found and error handlers.
 *
 * Unexpected errors go to `logger`. The framework itself gets no logger: its child logger and listeners
 * for each request would cost the hot path more than they tell.
 */
export function createHttpServer(options: {
  readonly config: Config
  readonly logger: Logger | undefined
  readonly errorForm?: ErrorForm
}): FastifyInstance {
  const { requestTimeoutMs, maxBatchBytes, trustedProxies } = options.config
  const { errorForm = ingestionForm } = options
  const server = fastify({
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    bodyLimit: maxBatchBytes,
    requestTimeout: requestTimeoutMs,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(requestTimeoutMs, LONGEST_CHECK_MS),
      // Node answers a missing Host with an empty body, which some clients retry for ever.
      requireHostHeader: false,
    },
    // An id of any length is looked up, and not found: the answer is that of its route.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_HEADER_BYTES },
    forceCloseConnections: 'idle',
    // What still arrives while closing is served: the log closes after the server.
    return503OnClosing: false,
    frameworkErrors: routingErrorAnswerer(errorForm),
    clientErrorHandler: clientErrorAnswerer(errorForm),
  })
  server.setNotFoundHandler(notFoundAnswerer(errorForm))
  server.setErrorHandler(errorAnswerer(options.logger, errorForm))
  server.addHook('preClose', async () => endIdleConnections(server.server))
  answerUnusualRequests(server.server, errorForm)
  return server
}

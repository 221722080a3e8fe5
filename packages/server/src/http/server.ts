import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Logger } from '../telemetry/logger.ts'
import type { Config } from '../config.ts'
import { RefusalLog } from '../telemetry/refusal-log.ts'
import { systemClock } from '../util/time/clock.ts'
import {
  connectionCloser,
  type InTurn,
  limitConnections,
  Pipelining,
  UnreadResponses,
} from './connections.ts'
import { type Forwarding, forwardOthers } from './forwarding.ts'
import {
  clientErrorHandler,
  errorHandler,
  type ErrorFormat,
  handleUnusualRequests,
  ingestionErrorFormat,
  notFoundHandler,
  routingErrorHandler,
} from './responses.ts'

/** The most bytes of all headers of a request together. The message of INGEST_CODES.headers_too_large names it. */
const MAX_HEADER_BYTES = 16 * 1024

/** A request that misses its deadline is ended at most this much later. */
const LONGEST_CHECK_MS = 1_000

type HttpSettings = Pick<
  Config,
  | 'maxBatchBytes'
  | 'maxPipelinedRequests'
  | 'requestTimeoutMs'
  | 'trustedProxies'
  | 'unreadTimeoutMs'
>

/**
 * Creates the HTTP server, without routes and not yet listening. The response to an error outside a route is in
 * `errorFormat`, by default that of the ingestion API: JSON, never HTML, an empty body or a redirect, because client
 * libraries retry or crash on those. The framework gets no logger: one for each request would slow down the hot path.
 */
export function createHttpServer(options: {
  readonly config: HttpSettings
  readonly logger: Logger | undefined
  readonly errorFormat?: ErrorFormat
  /** The most connections at once; without it, any number. */
  readonly maxConnections?: number
  /** When it aborts, a closing server waits for no request any longer. */
  readonly overdue?: AbortSignal
  /** Returns the URL by which a request is routed, from the one that it has. */
  readonly routedUrl?: ((url: string) => string) | undefined
  /** Requests that another thread handles. */
  readonly forwarding?: Forwarding
}): FastifyInstance {
  const { requestTimeoutMs, maxBatchBytes, trustedProxies } = options.config
  const { routedUrl = (url) => url } = options
  const errorFormat = loggedFormat(options.errorFormat ?? ingestionErrorFormat, options.logger)
  const unread = new UnreadResponses(options.config.unreadTimeoutMs)
  const inTurn = turnTaker(options.config, unread)
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
      // To a request without Host, Node sends an empty body, and some clients retry after that for ever.
      requireHostHeader: false,
    },
    // An id of any length reaches its route, which responds that it is not found.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_HEADER_BYTES },
    rewriteUrl: ({ url = '' }) => routedUrl(url),
    forceCloseConnections: 'idle',
    // Requests that arrive while the server closes are still served: the log closes after the server.
    return503OnClosing: false,
    frameworkErrors: routingErrorHandler(errorFormat, inTurn),
    clientErrorHandler: clientErrorHandler(errorFormat),
  })
  server.addHook('onRequest', (_request, reply, done) => inTurn(reply.raw, done))
  server.addHook('onRequest', skipBodyAtUnknownPath)
  server.setNotFoundHandler(notFoundHandler(errorFormat))
  server.setErrorHandler(errorHandler(options.logger, errorFormat))
  const leaveLimit = limitConnections(server.server, options.maxConnections ?? Infinity)
  const closeConnections = connectionCloser(server.server, options.overdue)
  server.addHook('preClose', async () => closeConnections())
  handleUnusualRequests(server.server, errorFormat, inTurn)
  if (options.forwarding) {
    const onForward = (client: Socket): void => {
      leaveLimit(client)
      unread.watch(client)
      options.forwarding?.onForward?.(client)
    }
    forwardOthers(server.server, { ...options.forwarding, onForward })
  }
  return server
}

/** Every error response outside a route passes it. Errors of the server itself have lines of their own. */
function loggedFormat(format: ErrorFormat, logger: Logger | undefined): ErrorFormat {
  const refusals = new RefusalLog(systemClock, logger)
  return (code, request) => {
    if (code !== 'internal_error') refusals.add(code, request)
    return format(code, request)
  }
}

/** The framework would keep the body in memory until it is complete, and then respond 404 all the same. */
function skipBodyAtUnknownPath(request: FastifyRequest, _reply: unknown, done: () => void): void {
  if (request.is404) {
    for (const name of ['content-type', 'content-length', 'transfer-encoding']) {
      request.headers[name] = undefined
    }
  }
  done()
}

/** Every request passes it before it is handled, whatever its route. */
function turnTaker({ maxPipelinedRequests }: HttpSettings, unread: UnreadResponses): InTurn {
  const pipelining = new Pipelining(maxPipelinedRequests)
  return (response, handle) => {
    unread.watch(response.req.socket)
    pipelining.inTurn(response, handle)
  }
}

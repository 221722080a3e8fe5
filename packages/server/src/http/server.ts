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
import { type ForwardingOptions, forwardOthers } from './forwarding.ts'
import {
  clientErrorHandler,
  errorHandler,
  type ErrorFormat,
  handleUnusualRequests,
  ingestionErrorFormat,
  notFoundHandler,
  routingErrorHandler,
} from './responses.ts'

/** Maximum size of the request headers. */
const MAX_HEADER_BYTES = 16 * 1024

/** Maximum interval at which Node checks for requests past their deadline. */
const MAX_CHECK_MS = 1_000

type HttpSettings = Pick<
  Config,
  | 'maxBatchBytes'
  | 'maxPipelinedRequests'
  | 'requestTimeoutMs'
  | 'trustedProxies'
  | 'slowReaderTimeoutMs'
>

/** Creates the server, without routes. Errors are JSON: clients retry or crash on HTML, empty bodies and redirects. */
export function createHttpServer(options: {
  readonly config: HttpSettings
  readonly logger: Logger | undefined
  readonly errorFormat?: ErrorFormat
  /** Unlimited by default. */
  readonly maxConnections?: number
  /** When it aborts, a closing server no longer waits for requests. */
  readonly overdue?: AbortSignal
  /** Maps the URL of a request to the URL used for routing. */
  readonly routedUrl?: ((url: string) => string) | undefined
  /** Requests that another thread handles. */
  readonly forwarding?: ForwardingOptions
}): FastifyInstance {
  const { requestTimeoutMs, maxBatchBytes, trustedProxies } = options.config
  const { routedUrl = (url) => url } = options
  const errorFormat = loggedFormat(options.errorFormat ?? ingestionErrorFormat, options.logger)
  const unread = new UnreadResponses(options.config.slowReaderTimeoutMs)
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
      connectionsCheckingInterval: Math.min(requestTimeoutMs, MAX_CHECK_MS),
      // Node would answer a request without Host with an empty body, after which some clients retry forever.
      requireHostHeader: false,
    },
    // Ids of any length reach their route, which responds with 404.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_HEADER_BYTES },
    rewriteUrl: ({ url = '' }) => routedUrl(url),
    forceCloseConnections: 'idle',
    // Requests are served while the server closes: the log closes later.
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

/** Logs error responses outside routes. Server errors have their own log lines. */
function loggedFormat(format: ErrorFormat, logger: Logger | undefined): ErrorFormat {
  const refusals = new RefusalLog(systemClock, logger)
  return (code, request) => {
    if (code !== 'internal_error') refusals.add(code, request)
    return format(code, request)
  }
}

/** Keeps the framework from buffering the whole body before it responds with 404. */
function skipBodyAtUnknownPath(request: FastifyRequest, _reply: unknown, done: () => void): void {
  if (request.is404) {
    for (const name of ['content-type', 'content-length', 'transfer-encoding']) {
      request.headers[name] = undefined
    }
  }
  done()
}

/** Returns the function that every request passes through before it is handled. */
function turnTaker({ maxPipelinedRequests }: HttpSettings, unread: UnreadResponses): InTurn {
  const pipelining = new Pipelining(maxPipelinedRequests)
  return (response, handle) => {
    unread.watch(response.req.socket)
    pipelining.inTurn(response, handle)
  }
}

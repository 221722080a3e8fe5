import { INGEST_CODES, ingestError, type IngestCodeName } from '@hookline/protocol'
import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from '../telemetry/logger.ts'
import { allowedMethods } from '../util/allowed-methods.ts'
import { LogThrottle } from '../util/limits/log-throttle.ts'
import { systemClock } from '../util/time/clock.ts'
import type { InTurn } from './connections.ts'

/** Includes the charset; otherwise the framework would add it to every response. */
const JSON_TYPE = 'application/json; charset=utf-8'

interface ErrorResponse {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** Formats the response to an error outside a route, for the API that the URL belongs to. */
export type ErrorFormat = (code: IngestCodeName, request: FailedRequest) => ErrorResponse

interface FailedRequest {
  /** `''` if no readable URL arrived. */
  readonly url: string
  readonly requestId: string
}

export const ingestionErrorFormat: ErrorFormat = (code) => ({
  status: INGEST_CODES[code].status,
  contentType: JSON_TYPE,
  body: JSON.stringify(ingestError(code)),
})

/** Sends an error response with the request id. */
export function sendError(reply: FastifyReply, code: IngestCodeName, format: ErrorFormat): void {
  const { id: requestId, url } = reply.request
  const { status, contentType, body } = format(code, { url, requestId })
  const headers = { 'x-request-id': requestId, 'content-type': contentType }
  void reply.code(status).headers(headers).send(body)
}

export function sendJson(reply: FastifyReply, status: number, json: string): void {
  void reply.code(status).header('content-type', JSON_TYPE).send(json)
}

/** Errors of Fastify and the host guard with a specific code. All others are `bad_request` or `internal_error`. */
const FRAMEWORK_CODES: ReadonlyMap<string, IngestCodeName> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'batch_too_large'],
  ['FST_ERR_CTP_INVALID_JSON_BODY', 'invalid_json'],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', 'invalid_json'],
  ['HOOKLINE_WRONG_HOST', 'wrong_host'],
])

const LOG_EVERY_MS = 10_000

/**
 * Responds to errors from handlers and the framework. Logs server errors: each at most once every 10 s, with the number
 * of requests.
 */
export function errorHandler(logger: Logger | undefined, format: ErrorFormat) {
  const handleNotFound = notFoundHandler(format)
  const throttle = new LogThrottle(systemClock, LOG_EVERY_MS)
  return function handleError(
    error: FastifyError,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    // An unknown path gets 404 even if the body is unreadable.
    if (request.is404) return handleNotFound(request, reply)
    const code = codeOf(error)
    if (code === 'internal_error') {
      const { id: requestId, method } = request
      throttle.count(`${method} ${error.message}`, (requests) =>
        logger?.error({ err: error, requestId, method, requests }, 'request.failed'),
      )
    }
    sendError(reply, code, format)
  }
}

/** Responds to errors that occur before a route is found: an unreadable URL, a parameter that is too long. */
export function routingErrorHandler(format: ErrorFormat, inTurn: InTurn) {
  return function handleRoutingError(
    error: FastifyError,
    _request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    inTurn(reply.raw, () => sendError(reply, codeOf(error), format))
  }
}

/** Responds with 405 and `Allow` if the path has other methods, else with 404. */
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
  return FRAMEWORK_CODES.get(error.code) ?? (statusCode < 500 ? 'bad_request' : 'internal_error')
}

/** Delay before closing after an error: unread bytes would reset the connection, and the client would lose the response. */
const LINGER_MS = 2_000

/** How many bytes of the request are searched for its path. */
const MAX_LINE = 2_048

/** Errors from Node's HTTP parser with a specific code. All others are `bad_request`. */
const PARSER_CODES: ReadonlyMap<string | undefined, IngestCodeName> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
])

interface ParserError extends NodeJS.ErrnoException {
  /** The unparsed input. If the request failed early, it begins with the request line. */
  readonly rawPacket?: unknown
}

/** Responds on the socket to malformed, slow, or oversized requests. */
export function clientErrorHandler(format: ErrorFormat) {
  return function handleClientError(error: ParserError, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || socket.destroyed) {
      socket.destroy()
      return
    }
    const code = PARSER_CODES.get(error.code) ?? 'bad_request'
    endWithError(socket, code, { format, url: urlOf(error, socket) })
  }
}

/** Sends a JSON response if Node would send an empty body or close the connection. */
export function handleUnusualRequests(server: Server, format: ErrorFormat, inTurn: InTurn): void {
  server.on('connect', ({ url = '' }, socket) =>
    endWithError(socket, 'method_not_allowed', { format, url }),
  )
  server.on('checkExpectation', ({ url = '' }, response) => {
    const { status, contentType, body } = format('bad_request', { url, requestId: randomUUID() })
    const headers = { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }
    inTurn(response, () => response.writeHead(status, headers).end(body))
  })
}

interface ErrorContext {
  readonly format: ErrorFormat
  readonly url: string
}

function endWithError(socket: Duplex, code: IngestCodeName, context: ErrorContext): void {
  // The parser reports each later chunk as another error. Only the first gets a response.
  if (!socket.writable) return
  socket.on('error', () => socket.destroy())
  // A handler may respond before the whole body has arrived.
  const isResponding = responseOn(socket)?.headersSent === true
  socket.end(isResponding ? undefined : rawResponse(code, context))
  socket.resume()
  socket.once(
    'close',
    systemClock.after(LINGER_MS, () => socket.destroy()),
  )
}

/** The path of the request if it arrived, else `''`. */
function urlOf({ rawPacket }: ParserError, socket: Duplex): string {
  const packet = Buffer.isBuffer(rawPacket) ? rawPacket : Buffer.alloc(0)
  const line = packet.toString('latin1', 0, MAX_LINE)
  return responseOn(socket)?.req.url ?? /^[A-Z]+ (\S+)/.exec(line)?.[1] ?? ''
}

/** The response to the current request on this socket. */
function responseOn(socket: Duplex): ServerResponse | undefined {
  // Not public. Node's own handler of this event reads the same property.
  return (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
}

function rawResponse(code: IngestCodeName, { format, url }: ErrorContext): string {
  const { status, contentType, body } = format(code, { url, requestId: randomUUID() })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 405 ? ['Allow: GET, POST, OPTIONS'] : []),
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

/** Clients retry soon, and the load balancer picks another node. */
const RETRY_AFTER_SECONDS = 1

/** Refuses requests at these paths, which other nodes serve. Routes with a longer path take precedence. */
export function wrongNodeRoute(
  paths: readonly string[],
  errorFormat: ErrorFormat,
): FastifyPluginAsync {
  return async (server) => {
    const refuse = (_request: FastifyRequest, reply: FastifyReply): void => {
      void reply.header('retry-after', RETRY_AFTER_SECONDS)
      sendError(reply, 'wrong_node', errorFormat)
    }
    server.removeAllContentTypeParsers()
    // The body is not read: the response comes first.
    server.addContentTypeParser('*', (_request, _payload, done) => done(null))
    for (const path of paths) server.all(path, refuse)
  }
}

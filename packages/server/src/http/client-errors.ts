import type { IngestCodeName } from '@hookline/protocol'
import { randomUUID } from 'node:crypto'
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { systemClock } from '../util/time/clock.ts'
import type { InTurn } from './pipelining.ts'
import type { ErrorFormat } from './responses.ts'

/**
 * How long a connection stays open after an error response, so that the client can read the response. Closing while
 * bytes of the client are unread would reset the connection, and the client would lose the response.
 */
const LINGER_MS = 2_000

/** How many bytes of the request are searched for the path. */
const LONGEST_LINE = 2_048

/** Errors of Node's HTTP parser that have their own code. The code of all others is `bad_request`. */
const CODES: ReadonlyMap<string | undefined, IngestCodeName> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
])

interface ParserError extends NodeJS.ErrnoException {
  /** What the parser was reading. If the request failed early, this begins with its first line. */
  readonly rawPacket?: unknown
}

/** Responds, on the socket itself, to what never became a request: malformed, too slow, headers too large. */
export function clientErrorHandler(format: ErrorFormat) {
  return function handleClientError(error: ParserError, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || socket.destroyed) {
      socket.destroy()
      return
    }
    const code = CODES.get(error.code) ?? 'bad_request'
    endWithError(socket, code, { format, url: urlOf(error, socket) })
  }
}

/** Sends a JSON response where Node would send an empty body or close the connection. */
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
  // After an error the parser reports each further chunk as another error. Only the first gets a response.
  if (!socket.writable) return
  socket.on('error', () => socket.destroy())
  // A handler does not have to wait for the whole body, so its response may already be on its way.
  const isResponding = responseOn(socket)?.headersSent === true
  socket.end(isResponding ? undefined : rawResponse(code, context))
  socket.resume()
  socket.once(
    'close',
    systemClock.after(LINGER_MS, () => socket.destroy()),
  )
}

/** The path of the request, if that much of it arrived; else `''`. */
function urlOf({ rawPacket }: ParserError, socket: Duplex): string {
  const packet = Buffer.isBuffer(rawPacket) ? rawPacket : Buffer.alloc(0)
  const line = packet.toString('latin1', 0, LONGEST_LINE)
  return responseOn(socket)?.req.url ?? /^[A-Z]+ (\S+)/.exec(line)?.[1] ?? ''
}

/** The response to the request on this socket, once the request line and headers are parsed. */
function responseOn(socket: Duplex): ServerResponse | undefined {
  // There is no public property for it. Node's own handler of this event reads the same one.
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

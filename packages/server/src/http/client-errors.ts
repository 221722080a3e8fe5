import type { IngestCodeName } from '@hookline/protocol'
import { randomUUID } from 'node:crypto'
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { systemClock } from '../util/clock.ts'
import type { ErrorForm } from './error-form.ts'

/**
 * How long an answered connection stays open for its client to read the answer. Closing at once, with
 * bytes of the client still unread, would reset the connection and the answer with it.
 */
const LINGER_MS = 2_000

/** As much of what was sent as the path is looked for in. */
const LONGEST_LINE = 2_048

/** What Node's HTTP parser calls a fault → the code it is answered with. Others are `bad_request`. */
const CODES: ReadonlyMap<string | undefined, IngestCodeName> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
])

interface ParserError extends NodeJS.ErrnoException {
  /** What the parser was reading: where the request broke off early, its first line begins it. */
  readonly rawPacket?: unknown
}

/** Answers on the connection itself what never became a request: malformed, too slow, headers too large. */
export function clientErrorAnswerer(form: ErrorForm) {
  return function answerClientError(error: ParserError, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || socket.destroyed) {
      socket.destroy()
      return
    }
    const code = CODES.get(error.code) ?? 'bad_request'
    endWithError(socket, code, { form, url: urlOf(error, socket) })
  }
}

/** Gives JSON answers where Node by itself would send an empty body or close the connection. */
export function answerUnusualRequests(server: Server, form: ErrorForm): void {
  server.on('connect', ({ url = '' }, socket) =>
    endWithError(socket, 'method_not_allowed', { form, url }),
  )
  server.on('checkExpectation', ({ url = '' }, response) => {
    const { status, contentType, body } = form('bad_request', { url, requestId: randomUUID() })
    const headers = { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }
    response.writeHead(status, headers).end(body)
  })
}

interface Asked {
  readonly form: ErrorForm
  readonly url: string
}

function endWithError(socket: Duplex, code: IngestCodeName, asked: Asked): void {
  // The parser reports every further chunk after a fault as another one: the first was answered.
  if (!socket.writable) return
  socket.on('error', () => socket.destroy())
  // A handler need not wait for the whole body: its answer to the broken request may be on its way.
  socket.end(answerOn(socket)?.headersSent === true ? undefined : rawAnswer(code, asked))
  socket.resume()
  socket.once(
    'close',
    systemClock.after(LINGER_MS, () => socket.destroy()),
  )
}

/** The path that was asked for, as far as the request got. */
function urlOf({ rawPacket }: ParserError, socket: Duplex): string {
  const packet = Buffer.isBuffer(rawPacket) ? rawPacket : Buffer.alloc(0)
  const line = packet.toString('latin1', 0, LONGEST_LINE)
  return answerOn(socket)?.req.url ?? /^[A-Z]+ (\S+)/.exec(line)?.[1] ?? ''
}

/** The answer that the request on this connection gets, once it has become one. */
function answerOn(socket: Duplex): ServerResponse | undefined {
  // There is no public way to ask; Node's own handler of this event asks the same.
  return (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
}

function rawAnswer(code: IngestCodeName, { form, url }: Asked): string {
  const { status, contentType, body } = form(code, { url, requestId: randomUUID() })
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

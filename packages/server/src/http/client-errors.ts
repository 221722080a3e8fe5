import { INGEST_CODES, type IngestCodeName } from '@hookline/protocol'
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { systemClock } from '../util/clock.ts'
import { errorBody, JSON_TYPE } from './send-json.ts'

/**
 * How long an answered connection stays open for its client to read the answer. Closing at once, with
 * bytes of the client still unread, would reset the connection and the answer with it.
 */
const LINGER_MS = 2_000

/** What Node's HTTP parser calls a fault → the code it is answered with. Others are `bad_request`. */
const CODES: ReadonlyMap<string | undefined, IngestCodeName> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
])

/** Answers on the connection itself what never became a request: malformed, too slow, headers too large. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) {
    socket.destroy()
    return
  }
  endWithError(socket, CODES.get(error.code) ?? 'bad_request')
}

/** Gives JSON answers where Node by itself would send an empty body or close the connection. */
export function answerUnusualRequests(server: Server): void {
  server.on('connect', (_request, socket) => endWithError(socket, 'method_not_allowed'))
  server.on('checkExpectation', (_request, response) => {
    const body = errorBody('bad_request')
    const headers = { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) }
    response.writeHead(INGEST_CODES.bad_request.status, headers).end(body)
  })
}

function endWithError(socket: Duplex, code: IngestCodeName): void {
  // The parser reports every further chunk after a fault as another one: the first was answered.
  if (!socket.writable) return
  socket.on('error', () => socket.destroy())
  socket.end(isBeingAnswered(socket) ? undefined : rawAnswer(code))
  socket.resume()
  socket.once(
    'close',
    systemClock.after(LINGER_MS, () => socket.destroy()),
  )
}

/** Whether an answer to the broken request is on its way: a handler need not wait for the whole body. */
function isBeingAnswered(socket: Duplex): boolean {
  // There is no public way to ask; Node's own handler of this event asks the same.
  const { _httpMessage: answer } = socket as { readonly _httpMessage?: ServerResponse | null }
  return answer?.headersSent === true
}

function rawAnswer(code: IngestCodeName): string {
  const { status } = INGEST_CODES[code]
  const body = errorBody(code)
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 405 ? ['Allow: GET, POST, OPTIONS'] : []),
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

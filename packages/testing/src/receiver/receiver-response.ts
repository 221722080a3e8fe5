import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface ValidResponse {
  readonly status?: number
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
}

/**
 * How a receiver misbehaves:
 * - `silence`: reads the request and does not respond;
 * - `reset`: RST; `close`: FIN without a response; `half-close`: FIN, but continues to read;
 * - `slow-headers`: a header line every 20 ms, endlessly; `interim-flood`: 102 every 5 ms, endlessly;
 * - `slow-body`: 200, then a byte every 20 ms, endlessly; `endless-body`: 200, then as much as the socket accepts;
 * - `broken-body`: 200, half of the announced body, then RST.
 */
type Misbehaviour =
  | 'silence'
  | 'reset'
  | 'close'
  | 'half-close'
  | 'slow-headers'
  | 'interim-flood'
  | 'slow-body'
  | 'endless-body'
  | 'broken-body'

/** A status, a response, a misbehaviour, or the bytes to write before the connection is closed. */
export type ReceiverResponse = number | ValidResponse | Misbehaviour | { readonly bytes: string }

export function respondWith(planned: ReceiverResponse, response: ServerResponse): void {
  const socket = response.socket
  if (socket === null || socket.destroyed) return
  if (typeof planned === 'string') MISBEHAVIOURS[planned](socket, response)
  else if (typeof planned === 'number') response.writeHead(planned).end()
  else if ('bytes' in planned) socket.end(planned.bytes)
  else response.writeHead(planned.status ?? 200, planned.headers).end(planned.body)
}

const OK = 'HTTP/1.1 200 OK\r\n'

const MISBEHAVIOURS: Record<Misbehaviour, (socket: Socket, response: ServerResponse) => void> = {
  silence: () => {},
  reset: (socket) => socket.resetAndDestroy(),
  close: (socket) => socket.destroy(),
  'half-close': (socket) => {
    socket.allowHalfOpen = true
    socket.end()
  },
  'slow-headers': (socket) => {
    socket.write(OK)
    repeat(socket, 20, 'X-Padding: 1\r\n')
  },
  'interim-flood': (socket) => repeat(socket, 5, 'HTTP/1.1 102 Processing\r\n\r\n'),
  'slow-body': (socket, response) => {
    response.writeHead(200).flushHeaders()
    repeat(socket, 20, '1\r\nx\r\n')
  },
  'endless-body': (_socket, response) => {
    response.writeHead(200)
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const pour = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', pour)
    pour()
  },
  'broken-body': (socket) => {
    socket.write(`${OK}Content-Length: 10\r\n\r\nhello`, () => socket.resetAndDestroy())
  },
}

function repeat(socket: Socket, everyMs: number, text: string): void {
  const timer = setInterval(() => socket.write(text), everyMs)
  socket.once('close', () => clearInterval(timer))
}

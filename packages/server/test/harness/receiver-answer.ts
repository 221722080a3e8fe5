import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** An answer as it should be. */
interface ProperAnswer {
  readonly status?: number
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
}

/**
 * How a receiver misbehaves:
 * - `silence`: takes the request, and says nothing;
 * - `reset`: RST; `close`: FIN without an answer; `half-close`: FIN, but goes on reading;
 * - `slow-headers`: a header line every 20 ms, for ever; `interim-flood`: 102 every 5 ms, for ever;
 * - `slow-body`: 200, then a byte every 20 ms, for ever; `endless-body`: 200, then as much as the socket takes;
 * - `broken-body`: 200, half of the body it announced, RST.
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

/** A status, a whole answer, a misbehaviour, or the very bytes to write before the connection ends. */
export type Answer = number | ProperAnswer | Misbehaviour | { readonly bytes: string }

/** Answers a request. */
export function giveAnswer(answer: Answer, response: ServerResponse): void {
  const socket = response.socket
  if (socket === null || socket.destroyed) return
  if (typeof answer === 'string') MISBEHAVIOURS[answer](socket, response)
  else if (typeof answer === 'number') response.writeHead(answer).end()
  else if ('bytes' in answer) socket.end(answer.bytes)
  else response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
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

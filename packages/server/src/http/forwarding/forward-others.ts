import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import { systemClock } from '../../util/time/clock.ts'
import { preambleOf, type PrivateAddress } from './private-address.ts'

/** Which requests are forwarded, and where to. */
export interface Forwarding {
  /** Whether this server handles the request with this URL itself. */
  readonly isOwn: (url: string) => boolean
  readonly to: PrivateAddress
  /** Called with each connection that is forwarded from now on. */
  readonly onForward?: (client: Socket) => void
}

/** There is no public way to the state of reading either. */
interface ReadHandle {
  reading: boolean
  readonly readStart: () => void
}

/** What Node's parser of a connection calls with each request. It returns 2 where the bytes behind the head are not HTTP. */
type OnIncoming = (request: IncomingMessage, keepAlive: boolean) => number

/**
 * Forwards each connection to the main thread, from the first request on that is not this server's own. From there on it is
 * only bytes: the main thread serves all later requests of it, too, and whatever they are, they are to it as if the client
 * had connected directly.
 *
 * `onForward` is called with each connection that is no longer the server's.
 */
export function forwardOthers(
  server: Server,
  { isOwn, to }: Omit<Forwarding, 'onForward'>,
  onForward: (client: Socket) => void,
): void {
  const newest = new WeakMap<Socket, ServerResponse>()
  const remember = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    newest.set(socket, response)
  }
  server.on('request', remember).on('checkExpectation', remember)
  server.on('connection', (client: Socket) => leaveOthers(client, isOwn))
  server.on('upgrade', (request: IncomingMessage, client: Socket, rest: Buffer) => {
    client.on('error', () => client.destroy())
    readAgain(client)
    afterResponse(client, newest.get(client), (sent) => {
      onForward(client)
      const upstream = connect({ path: to.path, allowHalfOpen: true })
      upstream.write(preambleOf(client, to.secret))
      const received = Buffer.concat([headOf(request), rest])
      joinSockets({ client, upstream, received, sent })
    })
  })
}

/** Makes the server treat requests that are not its own as those that switch to another protocol. */
function leaveOthers(client: Socket, isOwn: Forwarding['isOwn']): void {
  // There is no public way to stop Node's parser behind a head and to get the rest, except for requests with `Upgrade`.
  const { parser } = client as unknown as { readonly parser: { onIncoming: OnIncoming } }
  const { onIncoming } = parser
  parser.onIncoming = (request, keepAlive) => {
    if (isOwn(request.url ?? '')) return onIncoming(request, keepAlive)
    Object.assign(request, { upgrade: true })
    return 2
  }
}

/** Node has stopped reading where an earlier request was in progress, and would not start again for another protocol. */
function readAgain(client: Socket): void {
  const { _handle: handle } = client as unknown as { readonly _handle: ReadHandle | null }
  if (handle === null || handle.reading) return
  handle.reading = true
  handle.readStart()
}

/** Calls `begin`, with what the client sends, when the response to the request before is sent, if there was one. */
function afterResponse(
  client: Socket,
  before: ServerResponse | undefined,
  begin: (sent: Readable) => void,
): void {
  if (before === undefined || before.destroyed) return begin(client)
  // Otherwise what the client sends meanwhile would be lost: Node and `Pipelining` resume the socket.
  const sent = client.pipe(new PassThrough())
  before.once('close', () => {
    if (client.writable) begin(sent)
  })
}

/** The head of a request as it arrived, except for spaces around the values. */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`
  for (let index = 0; index < rawHeaders.length; index += 2) {
    text += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`
  }
  return Buffer.from(`${text}\r\n`, 'latin1')
}

/** How long a client whose response has ended may take to close. The main thread gives it two seconds after an error. */
const LINGER_MS = 3_000

interface Joined {
  readonly client: Socket
  /** The connection to the main thread. */
  readonly upstream: Socket
  /** What has arrived from the client. */
  readonly received: Buffer
  /** What it sends from now on. */
  readonly sent: Readable
}

/**
 * Passes all bytes between a client and the main thread, each side as fast as the other reads, and the end of each side. When
 * one is gone, so is the other. It begins when the main thread has sent a byte: it expects a request now.
 */
function joinSockets({ client, upstream, received, sent }: Joined): void {
  client.setTimeout(0)
  upstream.once('data', () => {
    upstream.write(received)
    sent.pipe(upstream)
    upstream.pipe(client)
  })
  client.once('close', () => upstream.destroy())
  upstream.on('error', () => upstream.destroy())
  upstream.once('end', () => closeSoon(client))
  upstream.once('close', () => {
    // Without an end, the response is not complete. Otherwise the client still gets the rest of it.
    if (!upstream.readableEnded) client.resetAndDestroy()
    sent.resume()
  })
}

/** The client has everything when its side has ended. It may have more to send, which nobody reads. */
function closeSoon(client: Socket): void {
  client.once('finish', () => {
    client.once(
      'close',
      systemClock.after(LINGER_MS, () => client.destroy()),
    )
  })
  client.end()
}

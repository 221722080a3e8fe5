import type { FastifyInstance } from 'fastify'
import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { systemClock } from '../util/time/clock.ts'
import { tryToListen } from './listen.ts'

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
 * only bytes: the main thread serves all later requests of it as if the client had connected directly.
 */
export function forwardOthers(server: Server, { isOwn, to, onForward }: Forwarding): void {
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
      onForward?.(client)
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

/** The byte that a thread waits for before it sends the request. */
const READY = '!'

/**
 * How many connections may wait here while the main thread is busy; Linux takes at most `net.core.somaxconn`. Beyond them,
 * a Unix domain socket refuses a connection at once (EAGAIN), where one of TCP would wait: clients would be reset.
 */
const MAX_WAITING = 65_535

/** Listens at the private address. Call `acceptForwarded` before. */
export async function listenForForwarded(
  server: FastifyInstance,
  { path }: Pick<PrivateAddress, 'path'>,
): Promise<void> {
  await server.listen({ path, backlog: MAX_WAITING })
}

/**
 * Makes a server that listens on a private address serve the connections that threads forward there, as if the clients had
 * connected directly. Call it before the server listens, and on such a server only: it takes the addresses of clients from
 * what a connection begins with. `isOwn` is that of the threads.
 */
export function acceptForwarded(
  server: FastifyInstance,
  { secret, isOwn }: Pick<PrivateAddress, 'secret'> & Pick<Forwarding, 'isOwn'>,
): void {
  const accept = server.server.listeners('connection')
  server.server.removeAllListeners('connection')
  server.server.on('connection', (socket: Socket) =>
    readPreamble(socket, secret, () => {
      for (const listener of accept) Reflect.apply(listener, server.server, [socket])
      // Node handles requests in another order where they arrive before it reads the socket itself.
      socket.write(READY)
    }),
  )
  giveBackConnections(server, isOwn)
}

/**
 * A connection stays forwarded once it is. A reverse proxy sends requests of all kinds over the same connections, so in the
 * end all would be forwarded. Hence such a connection closes after a request that a thread would handle: the proxy opens a
 * new one, and the calls are with the threads again.
 */
function giveBackConnections(server: FastifyInstance, isOwn: Forwarding['isOwn']): void {
  const newest = new WeakMap<Socket, ServerResponse>()
  server.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    newest.set(socket, response)
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    const { url = '', socket } = request.raw
    // Not while a request that the client has sent ahead waits behind this one.
    if (isOwn(url) && newest.get(socket) === reply.raw) void reply.header('connection', 'close')
    done(null, payload)
  })
}

const SECRET_BYTES = 32

/** Where the main thread accepts forwarded connections. Send it to no other process. */
export interface PrivateAddress {
  /** Of a Unix domain socket, or a named pipe on Windows. */
  readonly path: string
  /** Who connects must know it: on Windows, other users could connect. */
  readonly secret: Uint8Array
}

/**
 * Makes an address in a folder that no other user may enter: in `dataDir`, or in the system's folder for temporary files where
 * the file system of `dataDir` has no sockets, or its path is too long for one. Disposing of it removes the folder.
 */
export async function newPrivateAddress(
  dataDir: string,
): Promise<PrivateAddress & AsyncDisposable> {
  const secret = randomBytes(SECRET_BYTES)
  if (process.platform === 'win32') {
    const path = String.raw`\\.\pipe\hookline-${randomUUID()}`
    return { path, secret, [Symbol.asyncDispose]: async () => undefined }
  }
  const folder = await folderIn(dataDir).catch(() => temporaryFolder())
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  return { path: join(folder, SOCKET), secret, [Symbol.asyncDispose]: remove }
}

const SOCKET = 'main'

/** A process that was killed did not remove its folder. No other process uses this `dataDir`. */
async function folderIn(dataDir: string): Promise<string> {
  const folder = join(resolve(dataDir), 'threads')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  return withSocket(folder)
}

async function temporaryFolder(): Promise<string> {
  return withSocket(await mkdtemp(join(tmpdir(), 'hookline-')))
}

/** Tries whether a socket can be there. */
async function withSocket(folder: string): Promise<string> {
  try {
    await tryToListen({ path: join(folder, SOCKET) })
    return folder
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** The properties of a socket that tell where the connection of a client is from, and where it came in. */
const ENDS = [
  'remoteAddress',
  'remotePort',
  'remoteFamily',
  'localAddress',
  'localPort',
  'localFamily',
] as const

const LENGTH_BYTES = 2
/** The thread sends it together with the request. */
const DEADLINE_MS = 5_000

/** What a forwarded connection begins with: the secret of the listener, and the ends of the connection of the client. */
function preambleOf(client: Socket, secret: Uint8Array): Buffer {
  const ends = ENDS.map((name) => client[name] ?? null)
  const text = Buffer.from(JSON.stringify(ends))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt16BE(text.length)
  return Buffer.concat([secret, length, text])
}

/**
 * Reads the preamble, and nothing beyond it. Then the socket shows the ends of the client's connection as its own. A
 * connection without the secret, or with an incomplete preamble, is closed.
 */
function readPreamble(socket: Socket, secret: Uint8Array, onRead: () => void): void {
  const destroy = (): unknown => socket.destroy()
  socket.on('error', destroy).once('end', destroy).setTimeout(DEADLINE_MS, destroy)
  let length: number | undefined
  const read = (): void => {
    length ??= lengthIn(socket, secret)
    const text = length === undefined ? null : (socket.read(length) as Buffer | null)
    if (text === null) return
    socket.off('readable', read).off('error', destroy).off('end', destroy)
    socket.setTimeout(0).off('timeout', destroy)
    showEnds(socket, JSON.parse(text.toString()) as unknown[])
    onRead()
  }
  socket.on('readable', read)
}

/** The length of the text of the preamble, once it has arrived. */
function lengthIn(socket: Socket, secret: Uint8Array): number | undefined {
  const bytes = socket.read(SECRET_BYTES + LENGTH_BYTES) as Buffer | null
  if (bytes === null) return undefined
  if (timingSafeEqual(bytes.subarray(0, SECRET_BYTES), secret))
    return bytes.readUInt16BE(SECRET_BYTES)
  socket.destroy()
  return undefined
}

function showEnds(socket: Socket, ends: readonly unknown[]): void {
  for (const [index, name] of ENDS.entries())
    Object.defineProperty(socket, name, { value: ends[index] ?? undefined })
  // Only TCP has a reset. The thread that forwards resets the connection of a client that does not read.
  socket.resetAndDestroy = () => socket.destroy()
}

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

export interface ForwardingOptions {
  /** Whether this server handles the request itself. */
  readonly isOwn: (url: string) => boolean
  readonly to: PrivateAddress
  /** Called with each forwarded connection. */
  readonly onForward?: (client: Socket) => void
}

/** The handle of a socket. No public API exposes whether it is being read. */
interface ReadHandle {
  reading: boolean
  readonly readStart: () => void
}

/** Node's parser calls it with each request. It returns 2 if the bytes after the head are not HTTP. */
type OnIncoming = (request: IncomingMessage, keepAlive: boolean) => number

/** Forwards a connection once it sends a request that this server does not handle. From then on, only bytes are relayed. */
export function forwardOthers(server: Server, { isOwn, to, onForward }: ForwardingOptions): void {
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

/** Makes the server treat other requests like protocol switches. */
function leaveOthers(client: Socket, isOwn: ForwardingOptions['isOwn']): void {
  // No public API stops the parser after a head and returns the rest, except for requests with `Upgrade`.
  const { parser } = client as unknown as { readonly parser: { onIncoming: OnIncoming } }
  const { onIncoming } = parser
  parser.onIncoming = (request, keepAlive) => {
    if (isOwn(request.url ?? '')) return onIncoming(request, keepAlive)
    Object.assign(request, { upgrade: true })
    return 2
  }
}

/** Node may have stopped reading during an earlier request, and does not resume for another protocol. */
function readAgain(client: Socket): void {
  const { _handle: handle } = client as unknown as { readonly _handle: ReadHandle | null }
  if (handle === null || handle.reading) return
  handle.reading = true
  handle.readStart()
}

/** Calls `begin` with the client's bytes once the response to an earlier request is sent. */
function afterResponse(
  client: Socket,
  before: ServerResponse | undefined,
  begin: (sent: Readable) => void,
): void {
  if (before === undefined || before.destroyed) return begin(client)
  // Without this, bytes are lost: Node and `Pipelining` resume the socket.
  const received = client.pipe(new PassThrough())
  before.once('close', () => {
    if (client.writable) begin(received)
  })
}

/** The head of a request as it arrived, except for spaces around values. */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`
  for (let index = 0; index < rawHeaders.length; index += 2) {
    text += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`
  }
  return Buffer.from(`${text}\r\n`, 'latin1')
}

/** How long a client may take to close the connection after the response. The main thread allows two seconds after an error. */
const LINGER_MS = 3_000

interface JoinedSockets {
  readonly client: Socket
  readonly upstream: Socket
  readonly received: Buffer
  readonly sent: Readable
}

/** Pipes both ways between a client and the main thread, with back pressure, once the main thread has sent a byte. */
function joinSockets({ client, upstream, received, sent }: JoinedSockets): void {
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
    // Without an end, the response is incomplete.
    if (!upstream.readableEnded) client.resetAndDestroy()
    sent.resume()
  })
}

/** Closes the connection after the response has been sent. Anything that the client sends later is dropped. */
function closeSoon(client: Socket): void {
  client.once('finish', () => {
    client.once(
      'close',
      systemClock.after(LINGER_MS, () => client.destroy()),
    )
  })
  client.end()
}

const READY = '!'

/** Linux allows at most `net.core.somaxconn`. Beyond it, a Unix socket refuses connections immediately (EAGAIN). */
const MAX_WAITING = 65_535

/** Listens on the private address. Call `acceptForwarded` first. */
export async function listenForForwarded(
  server: FastifyInstance,
  { path }: Pick<PrivateAddress, 'path'>,
): Promise<void> {
  await server.listen({ path, backlog: MAX_WAITING })
}

/**
 * Makes a server serve forwarded connections only, as if clients had connected directly. Call it before the server
 * listens on the private address. `isOwn` is the same function as in the threads.
 */
export function acceptForwarded(
  server: FastifyInstance,
  { secret, isOwn }: Pick<PrivateAddress, 'secret'> & Pick<ForwardingOptions, 'isOwn'>,
): void {
  const accept = server.server.listeners('connection')
  server.server.removeAllListeners('connection')
  server.server.on('connection', (socket: Socket) =>
    readPreamble(socket, secret, () => {
      for (const listener of accept) Reflect.apply(listener, server.server, [socket])
      // Only now: Node handles requests out of order if they arrive before it reads the socket itself.
      socket.write(READY)
    }),
  )
  closeAfterIngestionRequests(server, isOwn)
}

/**
 * Closes a forwarded connection after a request that a thread would handle. Otherwise all connections from a reverse
 * proxy would end up forwarded.
 */
function closeAfterIngestionRequests(
  server: FastifyInstance,
  isOwn: ForwardingOptions['isOwn'],
): void {
  const newest = new WeakMap<Socket, ServerResponse>()
  server.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    newest.set(socket, response)
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    const { url = '', socket } = request.raw
    // Not while a pipelined request waits.
    if (isOwn(url) && newest.get(socket) === reply.raw) void reply.header('connection', 'close')
    done(null, payload)
  })
}

const SECRET_BYTES = 32

/** The address at which the main thread accepts forwarded connections. Never send it to another process. */
export interface PrivateAddress {
  /** The path of a Unix domain socket, or of a named pipe on Windows. */
  readonly path: string
  /** Every connection begins with it: on Windows, other users can connect. */
  readonly secret: Uint8Array
}

/**
 * Creates an address in a folder that no other user may enter: in `dataDir`, or in the system's temporary folder if a
 * socket cannot be created there. Disposing of it removes the folder.
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

/** A killed process leaves its folder behind. No other process uses this `dataDir`. */
async function folderIn(dataDir: string): Promise<string> {
  const folder = join(resolve(dataDir), 'threads')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  return withSocket(folder)
}

async function temporaryFolder(): Promise<string> {
  return withSocket(await mkdtemp(join(tmpdir(), 'hookline-')))
}

/** Checks that a socket can be created in the folder. */
async function withSocket(folder: string): Promise<string> {
  try {
    await tryToListen({ path: join(folder, SOCKET) })
    return folder
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** The properties of a socket that identify a client's connection. */
const ENDS = [
  'remoteAddress',
  'remotePort',
  'remoteFamily',
  'localAddress',
  'localPort',
  'localFamily',
] as const

const LENGTH_BYTES = 2
/** The time limit for the preamble, which the thread sends as soon as it connects. */
const DEADLINE_MS = 5_000

/** The secret of the listener, and the endpoints of the client's connection. */
function preambleOf(client: Socket, secret: Uint8Array): Buffer {
  const ends = ENDS.map((name) => client[name] ?? null)
  const text = Buffer.from(JSON.stringify(ends))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt16BE(text.length)
  return Buffer.concat([secret, length, text])
}

/**
 * Reads the preamble and nothing beyond it, then gives the socket the endpoints of the client's connection. Closes
 * connections without the secret.
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

/** The length of the preamble's text, once it has arrived. */
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
  // Only TCP sockets can be reset.
  socket.resetAndDestroy = () => socket.destroy()
}

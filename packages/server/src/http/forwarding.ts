import type { FastifyInstance } from 'fastify'
import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import {
  type IncomingMessage,
  request as openRequest,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { InTurn } from './connections.ts'
import { tryToListen } from './listen.ts'

/** Which requests are forwarded, and where to. */
export interface Forwarding {
  /** Whether this server handles the request with this URL itself. */
  readonly isOwn: (url: string) => boolean
  readonly to: PrivateAddress
}

/** The address at which the main thread serves forwarded requests. Never send it to another process. */
export interface PrivateAddress {
  /** Of a Unix domain socket, or a named pipe on Windows. */
  readonly path: string
  /** Every request must have it: on Windows, other users can connect. */
  readonly secret: string
}

/** Forwards the requests that are not this server's own. Call it before further listeners are added to the server. */
export function forwardOthers(server: Server, { isOwn, to }: Forwarding, inTurn: InTurn): void {
  const handle = takeHandler(server)
  // Otherwise Node ends the connection of a client that has closed its side before the main thread responds.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('request', (request, response) => {
    if (isOwn(request.url ?? '')) handle(request, response)
    else inTurn(response, () => forward(request, response, to))
  })
}

/** Replaces what handles the requests of a server. */
function takeHandler(server: Server): RequestListener {
  const listeners = server.listeners('request')
  server.removeAllListeners('request')
  return (request, response) => {
    for (const listener of listeners) Reflect.apply(listener, server, [request, response])
  }
}

/** Responds as the main thread does. A response that breaks off there breaks off for the client. */
function forward(request: IncomingMessage, response: ServerResponse, to: PrivateAddress): void {
  const ends = ENDS.map((name) => request.socket[name] ?? null)
  const upstream = openRequest({
    socketPath: to.path,
    agent: false,
    method: request.method,
    path: request.url,
    // Kept alive, because otherwise main closes it after a response to a body that is still on its way.
    headers: [
      CLIENT_HEADER,
      JSON.stringify([to.secret, ...ends]),
      'Connection',
      'keep-alive',
      ...endToEndHeaders(request.rawHeaders),
    ],
  })
  let isAnswered = false
  upstream.once('response', (answer) => {
    isAnswered = true
    const { statusCode = 500, statusMessage, rawHeaders } = answer
    response.writeHead(statusCode, statusMessage, endToEndHeaders(rawHeaders)).flushHeaders()
    answer.once('close', () => {
      if (!answer.complete) response.destroy()
    })
    answer.pipe(response)
  })
  upstream.on('error', () => {
    if (!isAnswered) response.destroy()
  })
  response.once('close', () => upstream.destroy())
  request.pipe(upstream)
}

const CLIENT_HEADER = 'hookline-client'

/** Headers of one connection only: each side of a forwarded request has its own. */
const HOP_HEADERS = new Set([CLIENT_HEADER, 'connection', 'expect', 'keep-alive', 'upgrade'])

function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => !HOP_HEADERS.has(rawHeaders[index & ~1]!.toLowerCase()))
}

/** The properties of a socket that identify the connection of a client. */
const ENDS = [
  'remoteAddress',
  'remotePort',
  'remoteFamily',
  'localAddress',
  'localPort',
  'localFamily',
] as const

/** Makes a server serve only forwarded requests with the secret, as if from the client. Call it before it listens. */
export function acceptForwarded({ server }: FastifyInstance, secret: string): void {
  const handle = takeHandler(server)
  server.on('connection', (socket: Socket) => {
    // Only TCP has a reset.
    socket.resetAndDestroy = () => socket.destroy()
  })
  server.on('request', (request, response) => {
    const ends = endsIn(request, secret)
    if (ends === undefined) return void request.socket.destroy()
    for (const [index, name] of ENDS.entries()) {
      const value = ends[index] ?? undefined
      Object.defineProperty(request.socket, name, { value, configurable: true })
    }
    handle(request, response)
  })
}

function endsIn({ headers }: IncomingMessage, secret: string): unknown[] | undefined {
  const client = Buffer.from(String(headers[CLIENT_HEADER]))
  const start = Buffer.from(`["${secret}",`)
  const hasSecret =
    client.length > start.length && timingSafeEqual(client.subarray(0, start.length), start)
  if (!hasSecret) return undefined
  const [, ...ends] = JSON.parse(client.toString()) as unknown[]
  return ends
}

/** Connections that may wait for the main thread. Beyond it, a Unix domain socket refuses them at once (EAGAIN). */
const MAX_WAITING = 65_535

/** Listens at the private address. Call `acceptForwarded` before. */
export async function listenForForwarded(server: FastifyInstance, path: string): Promise<void> {
  await server.listen({ path, backlog: MAX_WAITING })
}

const SECRET_BYTES = 32

/** Makes an address in a private folder, in `dataDir` or the system's temporary folder. Disposing removes it. */
export async function newPrivateAddress(
  dataDir: string,
): Promise<PrivateAddress & AsyncDisposable> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  if (process.platform === 'win32') {
    const path = String.raw`\\.\pipe\hookline-${randomUUID()}`
    return { path, secret, [Symbol.asyncDispose]: async () => undefined }
  }
  const folder = await folderIn(dataDir).catch(() => temporaryFolder())
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  return { path: join(folder, SOCKET), secret, [Symbol.asyncDispose]: remove }
}

const SOCKET = 'main'

/** A killed process leaves its folder. No other process uses this `dataDir`. */
async function folderIn(dataDir: string): Promise<string> {
  const folder = join(resolve(dataDir), 'threads')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  return withSocket(folder)
}

async function temporaryFolder(): Promise<string> {
  return withSocket(await mkdtemp(join(tmpdir(), 'hookline-')))
}

/** Checks that a socket can be there. */
async function withSocket(folder: string): Promise<string> {
  try {
    await tryToListen({ path: join(folder, SOCKET) })
    return folder
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

import type { FastifyInstance } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { parseConfig } from '../../../src/config.ts'
import {
  acceptForwarded,
  listenForForwarded,
  newPrivateAddress,
} from '../../../src/http/forwarding.ts'
import { createHttpServer } from '../../../src/http/server.ts'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

type Flags = Parameters<typeof parseConfig>[1]

const isOwn = (url: string): boolean => url.startsWith('/own')

/** Two identical main servers: one listens on a port, the other on a private address to which a third forwards. */
export class BothWays implements AsyncDisposable {
  static async open(flags: Flags = {}, maxConnections = 1_000): Promise<BothWays> {
    const folder = new TemporaryFolder()
    const address = await newPrivateAddress(folder.path)
    const options = { config: parseConfig({}, flags), logger: undefined }
    const [direct, main, thread] = [
      createHttpServer({ ...options, maxConnections }),
      createHttpServer({ ...options, maxConnections }),
      createHttpServer({ ...options, maxConnections, forwarding: { isOwn, to: address } }),
    ]
    const ways = new BothWays(direct, main, thread)
    ways.#stack.use(folder)
    ways.#stack.use(address)
    acceptForwarded(main, { ...address, isOwn })
    for (const server of [direct, main]) ways.#addRoutes(server)
    ways.#addOwn(thread, 'thread')
    await listenForForwarded(main, address)
    for (const server of [direct, thread]) await server.listen({ host: '127.0.0.1', port: 0 })
    ways.path = address.path
    return ways
  }

  readonly direct: FastifyInstance
  readonly main: FastifyInstance
  readonly thread: FastifyInstance
  path = ''
  /** The requests to `/held`, as seen by the server that handles them. */
  readonly held: IncomingMessage[] = []
  /** Releases the held responses. */
  readonly release = Promise.withResolvers<void>()
  readonly #stack = new AsyncDisposableStack()

  private constructor(direct: FastifyInstance, main: FastifyInstance, thread: FastifyInstance) {
    this.direct = direct
    this.main = main
    this.thread = thread
  }

  /** A new connection to the main server, directly or forwarded. */
  connect(way: 'direct' | 'forwarded', localAddress = '127.0.0.1'): Socket {
    const { server } = way === 'direct' ? this.direct : this.thread
    const { port } = server.address() as AddressInfo
    const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true })
    return socket.on('error', () => undefined)
  }

  #addRoutes(server: FastifyInstance): void {
    server.removeAllContentTypeParsers()
    server.addContentTypeParser('*', (_request, _payload, done) => done(null))
    server.all('/echo', async ({ raw, ip }) => {
      let bytes = 0
      for await (const chunk of raw) bytes += (chunk as Buffer).length
      const { method, url, rawHeaders, httpVersion, rawTrailers } = raw
      return { method, url, rawHeaders, rawTrailers, httpVersion, bytes, ip }
    })
    server.get('/ends', async ({ socket, ip }) => {
      const { remoteAddress, remotePort, remoteFamily, localAddress, localPort } = socket
      return { ip, remoteAddress, remotePort, remoteFamily, localAddress, localPort }
    })
    server.get<{ Querystring: { bytes: number } }>('/download', (request, reply) => {
      const chunk = Buffer.alloc(65_536, 'x')
      const parts = function* (): Generator<Buffer> {
        for (let sent = 0; sent < request.query.bytes; sent += chunk.length) yield chunk
      }
      void reply.send(Readable.from(parts(), { objectMode: false }))
    })
    server.get('/held', async ({ raw }) => {
      this.held.push(raw)
      await this.release.promise
      return 'released'
    })
    server.get('/cut', (_request, { raw }) => {
      raw.writeHead(200, { 'content-length': 100 })
      raw.write('half', () => raw.destroy())
    })
    server.get('/reset', (_request, { raw }) => {
      raw.writeHead(200, { 'content-length': 100 })
      raw.write('half', () => raw.socket?.resetAndDestroy())
    })
    server.get('/events', (_request, { raw }) => {
      raw.writeHead(200, { 'content-type': 'text/event-stream' })
      raw.write('data: first\n\n')
      void this.release.promise.then(() => raw.end('data: last\n\n'))
    })
    this.#addOwn(server, 'main')
  }

  #addOwn(server: FastifyInstance, by: string): void {
    server.all('/own', async () => ({ by }))
    server.get('/own/held', async ({ raw }) => {
      this.held.push(raw)
      await this.release.promise
      return { by }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release.resolve()
    await Promise.all([this.direct, this.main, this.thread].map((server) => server.close()))
    await this.#stack.disposeAsync()
  }
}

/** All bytes that a connection receives until it closes, and whether it was reset. */
export async function receivedBytes(socket: Socket): Promise<{ text: string; isReset: boolean }> {
  const chunks: Buffer[] = []
  let isReset = false
  socket.on('error', ({ code }: NodeJS.ErrnoException) => (isReset = code === 'ECONNRESET'))
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('end', () => socket.end())
  await new Promise((resolve) => socket.once('close', resolve))
  return { text: Buffer.concat(chunks).toString('latin1'), isReset }
}

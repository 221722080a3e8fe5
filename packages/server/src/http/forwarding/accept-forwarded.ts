import type { FastifyInstance } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type PrivateAddress, readPreamble } from './private-address.ts'

export interface AcceptOptions extends Pick<PrivateAddress, 'secret'> {
  /** Whether the threads that forward would handle the request with this URL themselves. */
  readonly isOwn: (url: string) => boolean
}

/** The byte that a thread waits for before it sends the request. */
const READY = '!'

/**
 * How many connections may wait here while the main thread is busy; Linux takes at most `net.core.somaxconn`. Beyond them,
 * a Unix domain socket refuses a connection at once (EAGAIN), where one of TCP would wait: clients would be reset.
 */
const MOST_WAITING = 65_535

/** Listens at the private address. Call `acceptForwarded` before. */
export async function listenForForwarded(
  server: FastifyInstance,
  { path }: Pick<PrivateAddress, 'path'>,
): Promise<void> {
  await server.listen({ path, backlog: MOST_WAITING })
}

/**
 * Makes a server that listens on a private address serve the connections that threads forward there, as if the clients had
 * connected directly. Call it before the server listens, and on such a server only: it takes the addresses of clients from
 * what a connection begins with.
 */
export function acceptForwarded(server: FastifyInstance, { secret, isOwn }: AcceptOptions): void {
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
function giveBackConnections(server: FastifyInstance, isOwn: AcceptOptions['isOwn']): void {
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

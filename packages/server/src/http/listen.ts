import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { type AddressInfo, createServer, type ListenOptions } from 'node:net'

export interface Listening {
  readonly host: string
  /** 0 for one that the system picks. */
  readonly port: number
  /** The most connections that wait to be accepted. */
  readonly backlog: number
  /** Whether other threads listen at the same port, among which the system divides new connections. */
  readonly reusePort?: boolean
}

/** Listens, and resolves to the URL. */
export async function listen(server: FastifyInstance, options: Listening): Promise<string> {
  await server.listen({ ...options })
  const { address, family, port } = server.server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/**
 * Rejects with the error of the system where a program listens at this port. Call it before the first of several threads
 * listens: with `reusePort`, a second service of the same user would get half of the connections, and nobody an error.
 */
export async function assertFree({ host, port }: Pick<Listening, 'host' | 'port'>): Promise<void> {
  if (port !== 0) await tryToListen({ host, port })
}

/**
 * Whether several threads can listen on one port of this address, and the system divides new connections between them.
 * Node fails with ENOTSUP where the system cannot (macOS, Windows).
 */
export async function hasReusePort(host: string): Promise<boolean> {
  return tryToListen({ host, port: 0, reusePort: true }).then(
    () => true,
    () => false,
  )
}

/** Listens for a moment. Rejects with the error of the system where that is not possible. */
export async function tryToListen(options: ListenOptions): Promise<void> {
  const server = createServer().listen(options)
  await once(server, 'listening')
  await new Promise((closed) => server.close(closed))
}

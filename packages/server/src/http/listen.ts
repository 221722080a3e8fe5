import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { type AddressInfo, createServer, type ListenOptions } from 'node:net'

export interface ListenSettings {
  readonly host: string
  /** With 0, the system picks one. */
  readonly port: number
  /** Maximum number of connections that wait to be accepted. */
  readonly backlog: number
  /** Whether other threads listen on the same port. The system distributes new connections among them. */
  readonly reusePort?: boolean
}

/** Listens, and resolves to the URL. */
export async function listen(server: FastifyInstance, options: ListenSettings): Promise<string> {
  await server.listen({ ...options })
  const { address, family, port } = server.server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/**
 * Rejects if a program already listens on this port: with `reusePort`, two services would silently share the
 * connections.
 */
export async function assertFree({
  host,
  port,
}: Pick<ListenSettings, 'host' | 'port'>): Promise<void> {
  if (port !== 0) await tryToListen({ host, port })
}

/** Whether several threads can listen on one port of this address. Node fails with ENOTSUP on macOS and Windows. */
export async function hasReusePort(host: string): Promise<boolean> {
  return tryToListen({ host, port: 0, reusePort: true }).then(
    () => true,
    () => false,
  )
}

/** Listens briefly. Rejects with the system's error. */
export async function tryToListen(options: ListenOptions): Promise<void> {
  const server = createServer().listen(options)
  await once(server, 'listening')
  await new Promise((closed) => server.close(closed))
}

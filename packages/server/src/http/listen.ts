import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

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
 *
 * With port 0, the first thread picks a port that nobody has, and the others take its number.
 */
export async function assertFree({ host, port }: Pick<Listening, 'host' | 'port'>): Promise<void> {
  if (port === 0) return
  const probe = createServer().listen({ host, port })
  await once(probe, 'listening')
  await new Promise((closed) => probe.close(closed))
}

/**
 * Whether several threads can listen on one port of this address, and the system divides new connections between them.
 * Node fails with ENOTSUP where the system cannot (macOS, Windows).
 */
export async function hasReusePort(host: string): Promise<boolean> {
  const probe = createServer().listen({ host, port: 0, reusePort: true })
  try {
    await once(probe, 'listening')
    return true
  } catch {
    return false
  } finally {
    probe.close()
  }
}

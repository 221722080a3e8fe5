import type { FastifyRequest } from 'fastify'
import { isIP } from 'node:net'

/**
 * The address of the client: that of the connection, or what a trusted proxy says of it. IPv4 in its
 * usual form also where the socket is IPv6.
 */
export function clientAddress(request: FastifyRequest): string | undefined {
  const address = plain(request.ip)
  // A proxy may pass on what is no address at all.
  return isIP(address) ? address : plain(request.socket.remoteAddress ?? '') || undefined
}

function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}

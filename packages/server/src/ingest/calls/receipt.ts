import type { Json } from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import { isIP } from 'node:net'
import { type Instant, instantAt, readSentAt, type SentAt } from './instant.ts'

/** What the server knows about a request. It is the same for all calls of the request. */
export interface Receipt {
  /** By the server's clock. */
  readonly receivedAt: Instant
  /** `sentAt` of the batch. */
  readonly sentAt: SentAt | undefined
  /** The address of the client. */
  readonly ip: string | undefined
  /** Whether a browser sent it by CORS. Only then is `ip` the address of the user, and not that of a server. */
  readonly isFromBrowser: boolean
  readonly clockSkewToleranceMs: number
}

/** The receipt of a request that arrived at `now`, in milliseconds since the epoch. */
export function receiptOf(
  request: FastifyRequest,
  sentAt: Json | undefined,
  { now, clockSkewToleranceMs }: { readonly now: number; readonly clockSkewToleranceMs: number },
): Receipt {
  return {
    receivedAt: instantAt(now),
    sentAt: readSentAt(sentAt),
    ip: clientAddress(request),
    isFromBrowser: request.headers.origin !== undefined,
    clockSkewToleranceMs,
  }
}

/** The address of the connection, or the one that a trusted proxy reports. IPv4 in its usual form, on IPv6 sockets too. */
function clientAddress(request: FastifyRequest): string | undefined {
  const address = withoutMapping(request.ip)
  // A proxy may report something that is not an address.
  return isIP(address) ? address : withoutMapping(request.socket.remoteAddress ?? '') || undefined
}

function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}

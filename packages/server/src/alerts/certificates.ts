import type { Destination } from '@hookline/protocol'
import { LRUCache } from 'lru-cache'
import { X509Certificate } from 'node:crypto'

/** Expiry times by PEM certificate, cached because parsing one is slow. */
const expiries = new LRUCache<string, number>({ max: 1_000 })

/** When the client certificates of the webhooks expire, in milliseconds since the epoch. */
export function certificateExpiriesOf({
  settings,
}: Destination): { readonly url: string; readonly expiresAt: number }[] {
  return settings.webhooks.flatMap(({ url, auth }) => {
    if (auth === undefined || !('clientCertificate' in auth)) return []
    return { url, expiresAt: expiryOf(auth.clientCertificate.certificate) }
  })
}

function expiryOf(certificate: string): number {
  const known = expiries.get(certificate)
  if (known !== undefined) return known
  const expiresAt = Date.parse(new X509Certificate(certificate).validTo)
  expiries.set(certificate, expiresAt)
  return expiresAt
}

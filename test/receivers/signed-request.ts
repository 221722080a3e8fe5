import { createHmac } from 'node:crypto'
import { exchange } from '@hookline/testing/network/http-exchange'

/** A delivery created by a test, signed without code of the product. */
export interface SignedRequest {
  readonly id?: string
  readonly body?: string
  /** The age of its timestamp. */
  readonly ageSeconds?: number
  readonly secret: string
  /** Headers to change after signing. `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** A body to send instead of the signed one. */
  readonly sentBody?: string
}

let deliveries = 0

export const newId = (): string => `msg_handmade${(deliveries += 1)}`

/** Sends the delivery. Resolves with the status of the response. */
export async function sendSigned(url: string, request: SignedRequest): Promise<number> {
  const { id = newId(), body = '{"version":1}', ageSeconds = 0, secret } = request
  const timestamp = Math.round(Date.now() / 1000) - ageSeconds
  const digest = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
  const all = {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${digest}`,
    ...request.headers,
  }
  const headers = Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  return (await exchange(url, { headers, body: request.sentBody ?? body })).status
}

import { createHmac } from 'node:crypto'
import { exchange } from '@hookline/testing/network/http-exchange'

/** A delivery that the test makes itself, signed without code of the product. */
export interface HandMade {
  readonly id?: string
  readonly body?: string
  /** How far its timestamp is from now. */
  readonly ageSeconds?: number
  readonly secret: string
  /** Changes the headers after they were signed. `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** The body that is sent in place of the signed one. */
  readonly sentBody?: string
}

let deliveries = 0

export const newId = (): string => `msg_handmade${(deliveries += 1)}`

/** Sends it, and resolves to the status of the response. */
export async function sendHandMade(url: string, made: HandMade): Promise<number> {
  const { id = newId(), body = '{"version":1}', ageSeconds = 0, secret } = made
  const timestamp = Math.round(Date.now() / 1000) - ageSeconds
  const digest = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
  const all = {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${digest}`,
    ...made.headers,
  }
  const headers = Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  return (await exchange(url, { headers, body: made.sentBody ?? body })).status
}

import { createHmac } from 'node:crypto'
import type { ReceivedRequest } from './receiver.ts'

const TOLERATED_SECONDS = 5 * 60

/**
 * Whether a request has both signatures, verified as documented: X-Signature over the parsed and serialised body, and
 * Standard Webhooks over the bytes. Shares no code with the product, so that a mistake cannot be in both.
 *
 * @param aheadMs how far the clock of the service is ahead
 */
export function isSignedWith(
  secret: string,
  { headers, body }: ReceivedRequest,
  aheadMs = 0,
): boolean {
  const serialised = JSON.stringify(JSON.parse(body.toString('utf8')))
  const digest = createHmac('sha1', secret).update(serialised, 'utf8').digest('hex')

  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers
  const isRecent = Math.abs((Date.now() + aheadMs) / 1000 - Number(timestamp)) < TOLERATED_SECONDS
  const standard = createHmac('sha256', secret)
    .update(`${String(id)}.${String(timestamp)}.`)
    .update(body)
    .digest('base64')
  return (
    isRecent &&
    headers['x-signature'] === digest &&
    headers['webhook-signature'] === `v1,${standard}`
  )
}

import type { SignatureCheck } from '@hookline/protocol/check-signature'
import type { InspectedRequest } from '@hookline/server'
import { type ReceivedDelivery, receivedDelivery } from '../receiver/received-delivery.ts'

const VERDICTS: Readonly<
  Record<InspectedRequest['signature']['verdict'], SignatureCheck['verdict']>
> = { valid: 'ok', invalid: 'wrong', missing: 'missing' }

/** A request to the inspector, in the form that `hookline listen` prints. */
export function inspectedDelivery(request: InspectedRequest): ReceivedDelivery {
  const { headers: pairs, body, receivedAt, response } = request
  const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]))
  const { verdict, xSignature, webhookSignature } = request.signature
  return receivedDelivery(
    { headers, body: body.toString() },
    {
      signature: { verdict: VERDICTS[verdict], xSignature, webhookSignature },
      nowMs: receivedAt,
      answered: response.status,
    },
  )
}

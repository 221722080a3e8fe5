import { newId } from '@hookline/protocol'
import { eventIn, type InspectedRequest } from '../../src/inspector/inspected-request.ts'
import { NOON } from '@hookline/testing/records/accepted-event'

let count = 0

/** A request with this body, later than the previous one; `changes` override its other fields. */
export function anInspectedRequest(
  body: object | string = {},
  changes: Partial<InspectedRequest> = {},
): InspectedRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const receivedAt = changes.receivedAt ?? NOON + count++
  return {
    id: newId('req', receivedAt),
    receivedAt,
    method: 'POST',
    path: '/',
    headers: [],
    body: Buffer.from(text),
    event: eventIn(text),
    deliveryId: newId('msg', receivedAt),
    attempt: 1,
    destinationId: 'dst_a',
    signature: { verdict: 'valid', reason: null, xSignature: 'valid', webhookSignature: 'valid' },
    response: { status: 200, delayMs: 0, isSent: false },
    ...changes,
  }
}

import { describe, expect, it } from 'vitest'
import { Arrivals } from '../../src/demo/arrivals.ts'
import { SAMPLE_CALLS } from '../../src/demo/sample-calls.ts'
import { receivedDelivery } from '../../src/receiver/received-delivery.ts'

const expected = { calls: SAMPLE_CALLS.slice(0, 2), members: ['u1'] }

const change = (value: boolean) => ({
  type: 'identify',
  userId: 'u1',
  traits: { buyers: value },
  context: { audience: { key: 'buyers' } },
})

function arrive(arrivals: Arrivals, payload: object, verdict: 'valid' | 'stale'): void {
  const request = { headers: {}, body: JSON.stringify(payload) }
  const signature = { verdict: 'valid', xSignature: 'valid', webhookSignature: verdict } as const
  arrivals.record(receivedDelivery(request, { signature, nowMs: 0, responseStatus: 200 }), request)
}

describe('the list of failures in the demo', () => {
  it('is empty if every call, every change in the audience and the notice arrived with correct signatures', async () => {
    const arrivals = new Arrivals(expected)
    for (const { messageId } of expected.calls) arrive(arrivals, { messageId }, 'valid')
    arrive(arrivals, change(true), 'valid')
    arrive(arrivals, change(false), 'valid')
    await arrivals.complete
    arrive(arrivals, { type: 'delete' }, 'valid')
    await arrivals.noticed
    expect(arrivals.faults()).toEqual([])
  })

  it('includes each delivery that is missing or has an invalid signature', () => {
    const arrivals = new Arrivals(expected)
    arrive(arrivals, { messageId: 'demo-page' }, 'stale')
    arrive(arrivals, change(true), 'valid')
    expect(arrivals.faults()).toEqual([
      'The page call arrived with X-Signature valid, webhook-signature stale.',
      'The identify call did not arrive.',
      'The identify call for u1 leaving the audience did not arrive.',
      'The deletion notice did not arrive.',
    ])
  })
})

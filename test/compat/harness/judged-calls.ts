import type { ReceivedRequest } from '@hookline/testing/receiver/receiver'
import type { Call } from '../scenarios/call.ts'
import type { StoredEvent, Observation } from './observation.ts'
import { callIdOf, type WireCall, wireCallsOf } from './wire-calls.ts'

/** A request to the webhook. */
export interface Delivery {
  /** The id of the call. */
  readonly id: string
  readonly webhookId: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly request: ReceivedRequest
}

/** A call that the program made, with its requests, responses and deliveries. */
export interface JudgedCall {
  /** As the library sends it: see `sends` in `library.ts`. */
  readonly call: Call
  readonly wire: readonly WireCall[]
  /** The best response to any of its requests. */
  readonly response: WireCall['response']
  readonly deliveries: readonly Delivery[]
  readonly events: readonly StoredEvent[]
}

export function judgedCalls(
  { library, output, scenario, exchanges, events }: Observation,
  deliveries: readonly Delivery[],
): JudgedCall[] {
  const wire = Map.groupBy(wireCallsOf(exchanges), ({ fields }) => callIdOf(fields))
  const kept = Map.groupBy(events, ({ event }) => callIdOf(event))
  const arrived = Map.groupBy(deliveries, ({ id }) => id)
  const callIds = new Set(output.callIds)
  return scenario.calls
    .filter(({ id }) => callIds.has(id))
    .map((call) => ({
      call: library.sends?.(call) ?? call,
      wire: wire.get(call.id) ?? [],
      response: bestOf(wire.get(call.id) ?? []),
      deliveries: arrived.get(call.id) ?? [],
      events: kept.get(call.id) ?? [],
    }))
}

export function deliveriesOf({ deliveries }: Observation): Delivery[] {
  return deliveries.map((request) => {
    const payload = JSON.parse(request.body.toString()) as Record<string, unknown>
    return {
      id: callIdOf(payload),
      webhookId: String(request.headers['webhook-id']),
      payload,
      request,
    }
  })
}

function bestOf(wire: readonly WireCall[]): WireCall['response'] {
  const responses = new Set(wire.map(({ response }) => response))
  if (responses.has('stored')) return 'stored'
  return responses.has('refused') ? 'refused' : 'unknown'
}

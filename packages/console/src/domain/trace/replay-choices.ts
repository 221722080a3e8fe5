import { api } from '../../api/client.ts'
import { isComputed, summaryOf } from '../events/event-summary.ts'
import type { Trace } from './trace-query.ts'

export interface ReplayChoice {
  readonly destinationId: string
  readonly state: string
  readonly effect: string
  readonly send: () => Promise<unknown>
}

const RESEND = 'Sends the event to the webhooks that did not accept it, with the same webhook-id.'

const EFFECTS = {
  pending: 'Makes the next attempt now, even if the breaker is open or Retry-After applies.',
  delivered: 'Sends the event to every webhook again, with the same webhook-id.',
  declined: 'Applies the transform again, and sends the event unless it returns nothing.',
  rejected: RESEND,
  expired: RESEND,
  quarantined: 'Retries the delivery.',
} as const

const DECLINED =
  'The destination was disabled when the event arrived. A replay sends the event if the destination is enabled, and its filter and sample select the event.'

/** The order of the choices. A destination that accepted the event comes last: a replay sends the event to it a second time. */
const ORDER: readonly string[] = [
  'rejected',
  'expired',
  'quarantined',
  'pending',
  'declined',
  'delivered',
]

/**
 * The destinations to replay to, those without the event first. Omits destinations whose delivery
 * is held, and destinations that declined the event for any reason except being disabled.
 */
export function replayChoices(trace: Trace): ReplayChoice[] {
  const choices = trace.decisions.flatMap(({ destinationId, decision, reason }): ReplayChoice[] => {
    const delivery = trace.deliveries.find((each) => each.destinationId === destinationId)
    if (delivery !== undefined) {
      if (delivery.state === 'held') return []
      const { id, state } = delivery
      return [
        { destinationId, state, effect: EFFECTS[state], send: () => api.retryDelivery(id, {}) },
      ]
    }
    if (decision !== 'declined' || reason !== 'destination_disabled') return []
    const send = (): Promise<unknown> => replayDeclined(trace, destinationId)
    return [{ destinationId, state: decision, effect: DECLINED, send }]
  })
  return choices.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
}

/** Selects the one event by the millisecond of its receipt and its messageId. */
function replayDeclined(
  { event, receivedAt, sourceId }: Trace,
  destinationId: string,
): Promise<unknown> {
  const { messageId } = summaryOf(event, isComputed(sourceId))
  return api.createReplay({
    destinationId,
    from: receivedAt,
    to: new Date(Date.parse(receivedAt) + 1).toISOString(),
    ...(messageId !== null && { text: messageId }),
    includeDeclined: true,
  })
}

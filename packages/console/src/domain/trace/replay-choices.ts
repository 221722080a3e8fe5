import { api } from '../../api/client.ts'
import { summaryOf } from '../events/event-summary.ts'
import type { Trace } from './trace-query.ts'

/** A destination that this event can be sent to again. */
export interface ReplayChoice {
  readonly destinationId: string
  /** What will happen, in a sentence. */
  readonly effect: string
  readonly send: () => Promise<unknown>
}

const EFFECTS = {
  pending: 'The next attempt is made now, whatever its breaker and Retry-After say.',
  delivered: 'Every webhook gets the event again, with the same webhook-id.',
  rejected: 'The webhooks that do not have the event get it now, with the same webhook-id.',
  expired: 'The webhooks that do not have the event get it now, with the same webhook-id.',
  quarantined: 'Hookline tries the delivery again.',
} as const

const DECLINED = 'The destination was disabled when the event arrived. It gets the event now.'

/** Where the event can be sent again: not where it is held, nor where the call itself excludes the destination. */
export function replayChoices(trace: Trace): ReplayChoice[] {
  return trace.decisions.flatMap(({ destinationId, decision, reason }) => {
    const delivery = trace.deliveries.find((each) => each.destinationId === destinationId)
    if (delivery !== undefined) {
      if (delivery.state === 'held') return []
      const { id, state } = delivery
      return [{ destinationId, effect: EFFECTS[state], send: () => api.retryDelivery(id, {}) }]
    }
    if (decision !== 'declined' || reason !== 'destination_disabled') return []
    const send = (): Promise<unknown> => replayDeclined(trace, destinationId)
    return [{ destinationId, effect: DECLINED, send }]
  })
}

/** A replay of the one event: it was received in this millisecond, and contains its messageId. */
function replayDeclined(
  { event, receivedAt, sourceId }: Trace,
  destinationId: string,
): Promise<unknown> {
  const { messageId } = summaryOf(event, !sourceId.startsWith('src_'))
  return api.createReplay({
    destinationId,
    from: receivedAt,
    to: new Date(Date.parse(receivedAt) + 1).toISOString(),
    ...(messageId !== null && { text: messageId }),
    includeDeclined: true,
  })
}

import { type AcceptedEvent, type Event, formatTimestamp, newId } from '@hookline/protocol'
import {
  acceptedEvent as accept,
  type NewEvent,
} from '../../../server/src/backend/accepted-event.ts'

/** Noon of a fixed day in the past, so that no test depends on the current date. */
export const NOON = Date.UTC(2026, 0, 15, 12)

type Overrides = Partial<Event> & Partial<Omit<NewEvent, 'event'>> & { readonly at?: number }

/** A track event as ingest would have accepted it at `at`. */
export function acceptedEvent(overrides: Overrides = {}): AcceptedEvent {
  const { at = NOON, id = newId('evt', at), sourceId = 'src_a', warnings = [], ...rest } = overrides
  const { origin, traceContext, ...fields } = rest
  const event: Event = {
    type: 'track',
    messageId: `message-${id}`,
    userId: 'u1',
    event: 'Order Completed',
    properties: { revenue: 39.95 },
    context: {},
    timestamp: formatTimestamp(at),
    receivedAt: formatTimestamp(at),
    ...fields,
  }
  return accept({ id, sourceId, warnings, event, traceContext, ...(origin && { origin }) })
}

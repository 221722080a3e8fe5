import { type AcceptedEvent, type Event, formatTimestamp, newId } from '@hookline/protocol'

/** Noon of a fixed day in the past, so that no test depends on the current date. */
export const NOON = Date.UTC(2026, 0, 15, 12)

/** A track event as ingest would have accepted it at `receivedAt`. */
export function acceptedEvent(
  overrides: Partial<Event> & { readonly sourceId?: string; readonly at?: number } = {},
): AcceptedEvent {
  const { sourceId = 'src_a', at = NOON, ...fields } = overrides
  const id = newId('evt', at)
  return {
    id,
    sourceId,
    marks: [],
    event: {
      type: 'track',
      messageId: `message-${id}`,
      userId: 'u1',
      event: 'Order Completed',
      properties: { revenue: 39.95 },
      context: {},
      timestamp: formatTimestamp(at),
      receivedAt: formatTimestamp(at),
      ...fields,
    },
  }
}

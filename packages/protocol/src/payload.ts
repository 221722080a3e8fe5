import type { DeletionNotice, Event } from './event.ts'
import type { JsonObject } from './json.ts'

/**
 * The request body of an event or a deletion notice: version 1 of the payload (requirement §Per-type payload fields;
 * key order from spec 02).
 *
 * The text is a fixed point of `JSON.stringify(JSON.parse(text))`: receivers may verify the signature after parsing and
 * serialising it again. This holds because `JSON.stringify` made it from values that came from `JSON.parse`.
 */
export function webhookPayload(event: Event | DeletionNotice): string {
  if (event.type === 'delete') return deletionPayload(event)
  return JSON.stringify(payloadOf(event))
}

/** The body of a deletion notice: the only payload without `version`. It has the id that the deletion names. */
export function deletionPayload({
  userId,
  anonymousId,
  timestamp,
}: Pick<DeletionNotice, 'userId' | 'anonymousId' | 'timestamp'>): string {
  return JSON.stringify({ type: 'delete', userId, anonymousId, timestamp })
}

function payloadOf(event: Event): JsonObject {
  const { type, messageId, anonymousId, userId, context, timestamp } = event
  const properties = event.properties ?? {}
  const traits = event.traits ?? {}
  const head = { version: 1, type, messageId }
  // JSON.stringify omits members with the value `undefined`, so absent keys stay absent.
  switch (type) {
    case 'identify':
      return { ...head, anonymousId, userId, traits, context, timestamp }
    case 'track':
      return { ...head, anonymousId, userId, event: event.event, properties, context, timestamp }
    case 'page':
    case 'screen':
      return {
        ...head,
        anonymousId,
        userId,
        name: event.name,
        category: event.category,
        properties,
        context,
        timestamp,
      }
    case 'group':
      return { ...head, anonymousId, userId, groupId: event.groupId, traits, context, timestamp }
    case 'alias':
      return { ...head, 'Previous ID': event.previousId, 'User ID': userId, context, timestamp }
  }
}

import type { DeletionNotice, Event } from './event.ts'
import type { JsonObject } from './json.ts'

/**
 * The body of the request that carries `event`, or a notice, to a webhook: version 1 of the payload (requirement
 * §Per-type payload fields; key order from spec 02).
 *
 * The text is a fixed point of `JSON.stringify(JSON.parse(text))`, because receivers verify the
 * signature over what they parsed and serialised again. It is so because it is itself the output of
 * `JSON.stringify` on values that came from `JSON.parse`.
 */
export function webhookPayload(event: Event | DeletionNotice): string {
  if (event.type === 'delete') return deletionPayload(event.userId, event.timestamp)
  return JSON.stringify(payloadOf(event))
}

/** The body of a deletion notice: the only payload without `version`. */
export function deletionPayload(userId: string, timestamp: string): string {
  return JSON.stringify({ type: 'delete', userId, timestamp })
}

function payloadOf(event: Event): JsonObject {
  const { type, messageId, anonymousId, userId, context, timestamp } = event
  const properties = event.properties ?? {}
  const traits = event.traits ?? {}
  const head = { version: 1, type, messageId }
  // `undefined` members are left out by JSON.stringify: that is how absent keys stay absent.
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

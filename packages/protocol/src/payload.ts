import type { DeletionNotice, Event, EventType } from './event.ts'
import type { JsonObject } from './json.ts'

/**
 * The request body of an event or a deletion notice: version 1 of the payload.
 *
 * The text is a fixed point of `JSON.stringify(JSON.parse(text))`: receivers may parse the body and serialise it again before
 * they verify the signature. This holds because `JSON.stringify` produces it from values that came from `JSON.parse`.
 */
export function webhookPayload(event: Event | DeletionNotice): string {
  if (event.type === 'delete') return deletionPayload(event)
  return JSON.stringify(payloadOf(event))
}

/** The body of a deletion notice: the only payload without `version`. Has the id from the deletion request. */
export function deletionPayload({
  userId,
  anonymousId,
  timestamp,
}: {
  readonly userId?: string | undefined
  readonly anonymousId?: string | undefined
  readonly timestamp: string
}): string {
  return JSON.stringify({ type: 'delete', userId, anonymousId, timestamp })
}

/** The stored field with the trace context of an event. No call can set it, and no webhook gets it. */
export const TRACE_FIELD = '$context'

/**
 * The fields of an event that are not in its webhook payload, as a JSON object: `sentAt`, `originalTimestamp`,
 * `integrations`, and unknown keys. `eventIn` restores the event from it, the payload and the time of receipt.
 * @param members further members, which are not in the event, as JSON
 */
export function fieldsOutsidePayload(event: Event, members = ''): string {
  const carried = CARRIED[event.type]
  for (const [name, value] of Object.entries(event)) {
    if (carried.has(name) || value === undefined) continue
    members += `${members && ','}${JSON.stringify(name)}:${JSON.stringify(value)}`
  }
  return `{${members}}`
}

/** Restores an event from its payload. `properties` or `traits` are present even if the client sent none. */
export function eventIn(payload: JsonObject, rest: JsonObject, receivedAt: string): Event {
  const { version: _version, 'Previous ID': previousId, 'User ID': aliasedId, ...fields } = payload
  const ids = fields['type'] === 'alias' ? { userId: aliasedId, previousId } : {}
  const event: Record<string, unknown> = { ...rest, ...fields, ...ids, receivedAt }
  if (TRACE_FIELD in event) delete event[TRACE_FIELD]
  return event as unknown as Event
}

const HEAD = ['type', 'messageId', 'userId', 'context', 'timestamp', 'receivedAt']
const PAGE = [...HEAD, 'anonymousId', 'name', 'category', 'properties']

/** The fields that `eventIn` restores from the payload and the time of receipt. */
const CARRIED: Readonly<Record<EventType, ReadonlySet<string>>> = {
  identify: new Set([...HEAD, 'anonymousId', 'traits']),
  track: new Set([...HEAD, 'anonymousId', 'event', 'properties']),
  page: new Set(PAGE),
  screen: new Set(PAGE),
  group: new Set([...HEAD, 'anonymousId', 'groupId', 'traits']),
  alias: new Set([...HEAD, 'previousId']),
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

import type { Call } from '../scenarios/call.ts'
import type { WireCall } from './wire-calls.ts'

type Fields = Readonly<Record<string, unknown>>

/** The fields that the payload of a call must have. It may have more, as libraries add some. */
export function payloadOfCall({ type, userId, anonymousId, ...call }: Call): Fields {
  if (type === 'alias') return { type, 'User ID': userId, 'Previous ID': call.previousId }
  const { groupId, event, name, category, traits, properties, context } = call
  const fields = { type, userId, anonymousId, groupId, event, name, category, traits, properties }
  return present({ ...fields, context })
}

/** Exactly the members in a payload that come unchanged from the wire. Shares no code with the product. */
export function payloadOfWire(
  { fields, envelope, isFromBrowser }: WireCall,
  payload: Fields,
): Fields {
  const { type } = fields
  const context = { ...object(envelope['context']), ...object(fields['context']) }
  const address = (payload['context'] as Fields | undefined)?.['ip']
  // The service adds the IP address of browsers.
  const added = isFromBrowser && (context['ip'] ?? '') === '' ? { ip: address } : {}
  const shared = { context: { ...context, ...added } }
  if (type === 'alias') {
    return present({
      ...shared,
      'User ID': text(fields['userId']),
      'Previous ID': text(fields['previousId']),
    })
  }
  const ids = { userId: text(fields['userId']), anonymousId: text(fields['anonymousId']) }
  return present({ ...shared, ...ids, ...ofType(type, fields, context) })
}

function ofType(type: unknown, fields: Fields, context: Fields): Fields {
  const { event, name, groupId } = fields
  const traits = object(fields['traits'])
  switch (type) {
    case 'identify':
      // RudderStack's libraries send traits in the context.
      return { traits: fields['traits'] === undefined ? object(context['traits']) : traits }
    case 'track':
      return { event, properties: object(fields['properties']) }
    case 'group':
      return { groupId: text(groupId), traits }
    case 'page': {
      // Go 2 sends the properties as traits.
      const properties = fields['properties'] === undefined ? traits : object(fields['properties'])
      return { name, category: fields['category'], properties }
    }
    default:
      return { name, category: fields['category'], properties: object(fields['properties']) }
  }
}

/** PHP sends `[]` for an empty object, and Go `null`. */
function object(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {}
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function present(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  )
}

import {
  CALL_EXAMPLES,
  CALL_FIELDS,
  type CallField,
  EVENT_TYPES,
  type EventType,
  INGEST_CODES,
  type Json,
  type JsonObject,
  LIMITS,
  OTHER_CALL_FIELDS,
} from '@hookline/protocol'

/** The name of the schema of a call of this type. */
export function schemaNameOf(type: EventType): string {
  return `${type[0]!.toUpperCase()}${type.slice(1)}Call`
}

/** A reference to a schema of the document. */
export function schemaNamed(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

const TIME_TYPES = ['string', 'number']

/** The fields that calls of every type may have, and that no table of types describes. */
const OTHERS: JsonObject = {
  timestamp: { type: TIME_TYPES, description: OTHER_CALL_FIELDS.timestamp },
  sentAt: { type: TIME_TYPES, description: OTHER_CALL_FIELDS.sentAt },
  writeKey: { type: 'string', description: OTHER_CALL_FIELDS.writeKey },
}

/** A call of this type as JSON Schema. Further fields are allowed. */
function callSchema(type: EventType): JsonObject {
  const fields = Object.entries<CallField>(CALL_FIELDS)
  const used = fields.filter(([, { usedBy }]) => usedBy.includes(type))
  const required = used.filter(([, field]) => field.required?.by.includes(type))
  return {
    type: 'object',
    description:
      'null counts as absent. Fields that are not listed are stored with the call, and not delivered.',
    required: required.map(([name]) => name),
    ...(type !== 'alias' && { anyOf: [{ required: ['userId'] }, { required: ['anonymousId'] }] }),
    properties: {
      ...Object.fromEntries(used.map(([name, field]) => [name, fieldSchema(name, field)])),
      ...OTHERS,
    },
  }
}

const TYPES: Readonly<Record<CallField['kind'], Json>> = {
  id: ['string', 'number', 'null'],
  text: ['string', 'null'],
  object: ['object', 'null'],
}

function fieldSchema(name: string, { kind, meaning }: CallField): JsonObject {
  const limit = name === 'messageId' && { maxLength: LIMITS.messageIdCharacters }
  return { type: TYPES[kind], ...limit, description: meaning }
}

const objectFields = {
  context: { type: ['object', 'null'], description: 'Added to the context of each call.' },
  integrations: {
    type: ['object', 'null'],
    description: 'Added to the integrations of each call.',
  },
}

const batch: JsonObject = {
  type: 'object',
  required: ['batch'],
  properties: {
    batch: {
      type: 'array',
      minItems: 1,
      maxItems: LIMITS.batchMessages,
      description: 'Calls of any type. Each has the field type besides its own fields.',
      items: {
        type: 'object',
        required: ['type'],
        properties: { type: { type: 'string', enum: EVENT_TYPES } },
      },
    },
    ...objectFields,
    sentAt: OTHERS['sentAt']!,
    writeKey: OTHERS['writeKey']!,
  },
}

const code = { type: 'string', enum: Object.keys(INGEST_CODES), description: 'For programs.' }
const message = { type: 'string', description: 'For people.' }

const rejected: JsonObject = {
  type: 'array',
  description: 'The calls of a batch that were refused.',
  items: {
    type: 'object',
    required: ['index', 'messageId', 'code', 'message'],
    properties: {
      index: { type: 'integer', description: 'The place of the call in the batch, from 0.' },
      messageId: {
        type: ['string', 'null'],
        description: 'Its messageId; null where it has none that is a text.',
      },
      code,
      message,
    },
  },
}

/** The schemas of the document by their names. */
export const INGESTION_SCHEMAS: JsonObject = {
  ...Object.fromEntries(EVENT_TYPES.map((type) => [schemaNameOf(type), callSchema(type)])),
  Batch: batch,
  Success: {
    type: 'object',
    required: ['success'],
    properties: { success: { type: 'boolean', const: true }, rejected },
  },
  Error: {
    type: 'object',
    required: ['success', 'code', 'message', 'error'],
    properties: {
      success: { type: 'boolean', const: false },
      code,
      message,
      error: { type: 'string', description: 'Code and message together.' },
      rejected,
    },
  },
}

/** A batch of three calls, the last of which lacks its event name. */
export const BATCH_EXAMPLE: JsonObject = {
  context: { library: { name: 'shop-backend', version: '2.4.0' } },
  batch: [
    { type: 'identify', ...CALL_EXAMPLES.identify },
    { type: 'track', ...CALL_EXAMPLES.track },
    { type: 'track', userId: 'u1', messageId: 'example-refused' },
  ],
}

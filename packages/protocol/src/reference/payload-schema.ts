import type { Json, JsonObject } from '../json.ts'
import {
  namesUser,
  PAYLOAD_FIELDS,
  PAYLOAD_TYPES,
  type PayloadField,
  type PayloadType,
} from './payload-fields.ts'

const TIME = String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`

/** The payload of this type as JSON Schema. Further fields are allowed: a later release may add some to version 1. */
function payloadSchemaOf(type: PayloadType): JsonObject {
  const fields = Object.entries(PAYLOAD_FIELDS[type])
  const version: Record<string, Json> =
    type === 'delete'
      ? {}
      : { version: { type: 'integer', const: 1, description: 'The version of the payload.' } }
  const always = fields.filter(([, field]) => field.always).map(([name]) => name)
  return {
    title: type,
    type: 'object',
    required: [...Object.keys(version), 'type', ...always],
    ...(namesUser(type) && { anyOf: [{ required: ['userId'] }, { required: ['anonymousId'] }] }),
    properties: {
      ...version,
      type: { type: 'string', const: type },
      ...Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(name, field)])),
    },
  }
}

function fieldSchema(name: string, { type, meaning }: PayloadField): JsonObject {
  const isTime = name === 'timestamp'
  return { type, ...(isTime && { format: 'date-time', pattern: TIME }), description: meaning }
}

/** The body of every delivery as one JSON Schema (draft 2020-12). */
export const WEBHOOK_PAYLOAD_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Hookline webhook payload, version 1',
  description:
    'The body of a delivery. Receivers must ignore unknown fields, and must not fail on unknown types.',
  oneOf: PAYLOAD_TYPES.map(payloadSchemaOf),
}

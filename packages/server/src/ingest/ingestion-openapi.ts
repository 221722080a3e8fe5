import {
  CALL_EXAMPLES,
  CALL_FIELDS,
  type CallField,
  type Event,
  EVENT_TYPES,
  type EventType,
  INGEST_CODES,
  type IngestCodeName,
  ingestError,
  type Json,
  type JsonObject,
  LIMITS,
  OTHER_CALL_FIELDS,
  PAYLOAD_TYPES,
  payloadSchemaOf,
  WEBHOOK_PAYLOAD_SCHEMA,
  webhookPayload,
} from '@hookline/protocol'
import type { FastifyPluginAsync } from 'fastify'
import { ENDPOINTS } from './endpoints.ts'

/** One sentence about each type of call, without its full stop. */
export const CALL_SUMMARIES: Readonly<Record<EventType, string>> = {
  identify: 'Tells who a user is, and sets traits of the profile',
  track: 'Tells what a user did',
  page: 'Tells which page of a site a user saw',
  screen: 'Tells which screen of an app a user saw',
  group: 'Tells which company, team or other group a user belongs to',
  alias: 'Tells that two ids are the same user',
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Whole seconds to wait before the next request.',
    schema: { type: 'integer' },
  },
}

/** The OpenAPI 3.1 document of the ingestion API, and of what it sends to webhooks. */
export function ingestionOpenapi(): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hookline ingestion API',
      version: '1',
      description:
        'Takes calls from applications. A 200 means that the calls are on disk: a power cut does not lose them.',
    },
    servers: [SERVER],
    security: [{ basic: [] }, { bearer: [] }, { header: [] }, { query: [] }],
    tags: [{ name: 'Calls' }, { name: 'Client libraries' }, { name: 'Webhooks' }],
    paths: {
      ...Object.fromEntries(EVENT_TYPES.map((type) => [`/v1/${type}`, { post: single(type) }])),
      '/v1/batch': { post: batch() },
      '/v1/projects/{writeKey}/settings': { get: settings() },
    },
    webhooks: { delivery: { post: delivery() } },
    components: { schemas: { ...INGESTION_SCHEMAS, ...payloadSchemas() }, securitySchemes: KEYS },
  }
}

const SERVER = {
  url: '{address}',
  description: 'Your Hookline.',
  variables: {
    address: {
      default: 'http://127.0.0.1:4800',
      description: 'The address at which your applications reach it.',
    },
  },
}

/** The ways to send the write key. A fifth one is the field `writeKey` of the body. */
const KEYS = {
  basic: { type: 'http', scheme: 'basic', description: 'The write key is the user name.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The write key is the token.' },
  header: { type: 'apiKey', in: 'header', name: 'X-Write-Key', description: 'The write key.' },
  query: { type: 'apiKey', in: 'query', name: 'writeKey', description: 'The write key.' },
}

function single(type: EventType): JsonObject {
  const examples = { example: { value: CALL_EXAMPLES[type] } }
  return {
    operationId: type,
    tags: ['Calls'],
    summary: CALL_SUMMARIES[type],
    description: `${alsoAt(`/v1/${type}`)} The body may have the write key, too, as its field writeKey.`,
    parameters: HEADERS,
    requestBody: body(schemaNamed(schemaNameOf(type)), examples),
    responses: {
      200: success({ stored: { value: { success: true } } }),
      ...errors({ 400: type === 'track' ? 'event_not_defined' : faultOf(type) }),
    },
  }
}

function faultOf(type: EventType): IngestCodeName {
  return type === 'alias' || type === 'group' ? 'id_required' : 'no_user_anon_id'
}

function batch(): JsonObject {
  const { message } = INGEST_CODES.event_not_defined
  const refused = { index: 2, messageId: 'example-refused', code: 'event_not_defined', message }
  return {
    operationId: 'batch',
    tags: ['Calls'],
    summary: 'Sends several calls in one request',
    description: `${alsoAt('/v1/batch')} Valid calls are stored even if others are refused, unless X-Strict-Mode is 1. The body may have the write key, too, as its field writeKey, or as that of the first call.`,
    parameters: HEADERS,
    requestBody: body(schemaNamed('Batch'), { example: { value: BATCH_EXAMPLE } }),
    responses: {
      200: success({
        allStored: { value: { success: true } },
        someRefused: { value: { success: true, rejected: [refused] } },
      }),
      ...errors({ 400: 'empty_batch' }),
    },
  }
}

function alsoAt(route: string): string {
  const others = ENDPOINTS.filter((each) => each.route === route && each.path !== route)
  return `The same at ${others.map(({ path }) => path).join(' and ')}.`
}

const HEADERS = [
  {
    name: 'Content-Encoding',
    in: 'header',
    required: false,
    description: 'How the body is compressed.',
    schema: { type: 'string', enum: ['gzip', 'deflate', 'br'] },
  },
  {
    name: 'X-Strict-Mode',
    in: 'header',
    required: false,
    description:
      'With 1, one call that cannot be accepted refuses the whole batch, and a timestamp that cannot be read refuses its call.',
    schema: { type: 'string', enum: ['1'] },
  },
]

function body(schema: JsonObject, examples: JsonObject): JsonObject {
  return { required: true, content: { 'application/json': { schema, examples } } }
}

function success(examples: JsonObject): JsonObject {
  return {
    description: 'Stored durably: a power cut does not lose it.',
    content: { 'application/json': { schema: schemaNamed('Success'), examples } },
  }
}

function errors(own: { readonly 400: IngestCodeName }): JsonObject {
  return {
    400: errorResponse('Nothing was stored: the request, or every call in it, is invalid.', [
      own[400],
    ]),
    401: errorResponse('The write key is missing or not known.', ['unknown_write_key']),
    403: errorResponse('The source is disabled.', ['source_disabled']),
    429: { ...errorResponse('Send it again later.', ['rate_limited']), headers: RETRY_AFTER },
    503: { ...errorResponse('Send it again later.', ['overloaded']), headers: RETRY_AFTER },
    default: errorResponse('Another error.', ['internal_error']),
  }
}

function errorResponse(description: string, codes: readonly IngestCodeName[]): JsonObject {
  const examples = Object.fromEntries(
    codes.map((code) => [code, { value: { ...ingestError(code) } }]),
  )
  return {
    description,
    content: { 'application/json': { schema: schemaNamed('Error'), examples } },
  }
}

const payloadName = (type: string): string => `${type[0]!.toUpperCase()}${type.slice(1)}Payload`

function payloadSchemas(): JsonObject {
  return Object.fromEntries(PAYLOAD_TYPES.map((type) => [payloadName(type), payloadSchemaOf(type)]))
}

function delivery(): JsonObject {
  const track = { type: 'track', receivedAt: '', ...CALL_EXAMPLES.track } as unknown as Event
  const examples = { track: { value: JSON.parse(webhookPayload(track)) as JsonObject } }
  const schema = { oneOf: PAYLOAD_TYPES.map((type) => schemaNamed(payloadName(type))) }
  return {
    operationId: 'delivery',
    tags: ['Webhooks'],
    summary: 'What a webhook of a destination receives',
    requestBody: { required: true, content: { 'application/json': { schema, examples } } },
    responses: { '2XX': { description: 'Delivered. Respond within 5 seconds.' } },
  }
}

const SETTINGS_EXAMPLE = {
  integrations: {
    'Segment.io': { apiKey: 'wk_…', apiHost: 'hookline.example.com/v1', protocol: 'https' },
  },
  plan: { track: { __default: { enabled: true, integrations: {} } } },
}

/** The settings that client libraries for browsers and phones read. */
function settings(): JsonObject {
  const schema = { type: 'object', required: ['integrations', 'plan'] }
  const examples = { settings: { value: SETTINGS_EXAMPLE } }
  return {
    operationId: 'getSettings',
    tags: ['Client libraries'],
    summary: 'Shows the settings that client libraries for browsers and phones read',
    description: 'The same at /projects/{writeKey}/settings.',
    security: [],
    parameters: [{ name: 'writeKey', in: 'path', required: true, schema: { type: 'string' } }],
    responses: {
      200: {
        description: 'Where to send calls.',
        content: { 'application/json': { schema, examples } },
      },
      404: errorResponse('No source has this write key.', ['not_found']),
    },
  }
}

/** The paths of the documents about the ingestion API and about what webhooks receive. */
export const DOCUMENT_PATHS = {
  openapi: '/v1/openapi.json',
  payloadSchema: '/v1/webhook-payload.schema.json',
} as const

/** Serves the OpenAPI document and the JSON Schema of the payload. They are the same for every service, and have no secret. */
export const documentRoutes: FastifyPluginAsync = async (server) => {
  // Made once, and as bytes, which the connections share.
  const documents = [
    [DOCUMENT_PATHS.openapi, 'application/json', ingestionOpenapi()],
    [DOCUMENT_PATHS.payloadSchema, 'application/schema+json', WEBHOOK_PAYLOAD_SCHEMA],
  ] as const
  for (const [path, type, document] of documents) {
    const bytes = Buffer.from(JSON.stringify(document))
    server.get(path, (_request, reply) => {
      void reply
        .header('content-type', `${type}; charset=utf-8`)
        .header('access-control-allow-origin', '*')
        .header('x-content-type-options', 'nosniff')
        .send(bytes)
    })
  }
}

/** The name of the schema of a call of this type. */
function schemaNameOf(type: EventType): string {
  return `${type[0]!.toUpperCase()}${type.slice(1)}Call`
}

/** A reference to a schema of the document. */
function schemaNamed(name: string): JsonObject {
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

const batchSchema: JsonObject = {
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
const INGESTION_SCHEMAS: JsonObject = {
  ...Object.fromEntries(EVENT_TYPES.map((type) => [schemaNameOf(type), callSchema(type)])),
  Batch: batchSchema,
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

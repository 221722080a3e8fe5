import type { Content, JsonSchema, OpenapiDocument, Operation } from './openapi-document.ts'

/** The prefix of the ids of the records of a tag. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  Sources: 'src',
  Destinations: 'dst',
  Events: 'evt',
  Deliveries: 'msg',
  Replays: 'rpl',
  Deletions: 'del',
  Tokens: 'tok',
  Audit: 'log',
  Audiences: 'aud',
  'Computed traits': 'trt',
}

const PROBLEM = {
  type: 'urn:hookline:problem:not_found',
  title: 'There is no such record.',
  status: 404,
  code: 'not_found',
  detail: 'There is no such record.',
  requestId: '8a438615-7b1c-4672-b66c-fd97e1df8911',
  errors: [],
}

/** The document with an example in each request and each response that is JSON. */
export function withExamples(document: OpenapiDocument): OpenapiDocument {
  const { schemas } = document.components
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => {
      const idPrefix = ID_PREFIXES[operation.tags[0]!] ?? 'evt'
      return [method, withOwnExamples(operation, { schemas, idPrefix })]
    })
    return [path, Object.fromEntries(operations)]
  })
  return { ...document, paths: Object.fromEntries(paths) as OpenapiDocument['paths'] }
}

function withOwnExamples(operation: Operation, context: ExampleContext): Operation {
  const { operationId, requestBody, responses } = operation
  const body = EXAMPLE_BODIES[operationId] ?? {}
  const answers = Object.entries(responses).map(([status, response]) => {
    const content = response.content && withExample(response.content, context)
    return [status, { ...response, ...(content && { content }) }]
  })
  return {
    ...operation,
    ...(requestBody && {
      requestBody: { ...requestBody, content: withExample(requestBody.content, context, body) },
    }),
    responses: Object.fromEntries(answers) as Operation['responses'],
  }
}

/** @param example by default one that is made from the schema */
function withExample(content: Content, context: ExampleContext, example?: unknown): Content {
  const all = Object.entries(content).map(([type, media]) => {
    if (!type.endsWith('json')) return [type, media]
    if (type === 'application/problem+json') return [type, { ...media, example: PROBLEM }]
    return [type, { ...media, example: example ?? exampleOf(media.schema, context) }]
  })
  return Object.fromEntries(all) as Content
}

/** The id of an example. All ids of one kind are the same, so that examples fit together. */
function exampleId(prefix: string): string {
  return `${prefix}_01m81grcbgedzt0s6b232e4pp8`
}

const TIME = '2026-11-21T09:31:00.000Z'

/** The values of fields whose schema does not say what a usual value is. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  sourceId: exampleId('src'),
  destinationId: exampleId('dst'),
  destinationIds: [exampleId('dst')],
  eventId: exampleId('evt'),
  deliveryId: exampleId('msg'),
  replayId: exampleId('rpl'),
  syncId: exampleId('syn'),
  key: 'team_plan',
  name: 'My shop',
  url: 'https://crm.example.com/hook',
  userId: 'u1',
  anonymousId: 'visitor-8f2c',
  messageId: 'example-track',
  nextCursor: null,
  last4: 'aple',
  token: 'tok_…',
}

/** What the fields of an example are about. */
interface ExampleContext {
  /** The schemas of the document by their names. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** The prefix of ids of this kind of record. */
  readonly idPrefix: string
}

/** A value that the schema allows, with usual values in it. @param name of the field that has it */
function exampleOf(schema: JsonSchema, context: ExampleContext, name = ''): unknown {
  const reference = schema.$ref?.split('/').at(-1)
  if (reference !== undefined) return exampleOf(context.schemas[reference]!, context, name)
  if (schema.const !== undefined) return schema.const
  const isListed = schema.enum !== undefined
  const usual = usualValue(schema, name, context)
  if (!isListed && allows(schema, usual)) return usual
  if (isListed) return schema.enum[0]
  const [option] = schema.anyOf ?? schema.oneOf ?? []
  if (option !== undefined && schema.properties === undefined)
    return exampleOf(option, context, name)
  return ofType(schema, context, name)
}

function usualValue({ pattern }: JsonSchema, name: string, { idPrefix }: ExampleContext): unknown {
  const [, prefix = idPrefix] = /^\^([a-z]{3})_/.exec(pattern ?? '') ?? []
  return name === 'id' ? exampleId(prefix) : BY_NAME[name]
}

/** Whether a usual value has the type of the schema. */
function allows({ type }: JsonSchema, value: unknown): boolean {
  if (value === undefined || type === undefined) return false
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  return [type].flat().includes(kind)
}

function ofType(schema: JsonSchema, context: ExampleContext, name: string): unknown {
  const [type = 'object'] = [schema.type ?? []].flat()
  if (type === 'array') return [exampleOf(schema.items ?? {}, context, name.replace(/s$/, ''))]
  if (type === 'object') {
    const fields = Object.entries(schema.properties ?? {})
    return Object.fromEntries(fields.map(([key, each]) => [key, exampleOf(each, context, key)]))
  }
  if (type === 'boolean') return true
  if (type === 'null') return null
  if (type === 'string') return schema.format === 'date-time' ? TIME : 'text'
  return Math.max(schema.minimum ?? 0, 1)
}

const destinationIds = [exampleId('dst')]
const condition = {
  and: [
    { trait: 'plan', op: 'equals', value: 'team' },
    { event: 'Order Completed', count: { op: '>=', n: 3 }, within: { days: 30 } },
  ],
}
const compute = {
  fn: 'sum',
  event: 'Order Completed',
  property: 'revenue',
  within: { days: 30 },
}

/** A body for each operation whose body has fields. A test sends each to a service. */
export const EXAMPLE_BODIES: Readonly<Record<string, object>> = {
  createSource: { name: 'My shop' },
  changeSource: { name: 'My shop (EU)', rateLimit: 500 },
  createDestination: {
    sourceId: exampleId('src'),
    type: 'Webhooks',
    name: 'CRM',
    enabled: true,
    settings: {
      sharedSecret: 'correct horse battery staple',
      webhooks: [{ url: 'https://crm.example.com/hook', headers: { 'X-Team': 'growth' } }],
    },
  },
  changeDestination: { enabled: false },
  testDestination: { type: 'track', dryRun: true },
  rotateSecret: { secret: 'a new secret, as long as the old one', overlapHours: 24 },
  createReplay: {
    destinationId: exampleId('dst'),
    from: '2026-11-21T00:00:00.000Z',
    to: '2026-11-22T00:00:00.000Z',
    dryRun: true,
  },
  createDeletion: { userIds: ['u1'], suppress: true },
  createToken: { name: 'ci', role: 'viewer' },
  createAudience: { name: 'Loyal teams', destinationIds, condition },
  changeAudience: { name: 'Loyal teams (3 orders)' },
  previewAudience: { condition },
  changeMembers: { add: ['u1', 'u2'], remove: ['u3'] },
  createTrait: { name: 'Revenue 30d', destinationIds, compute },
  changeTrait: { name: 'Revenue of 30 days' },
  previewTrait: { compute },
  importConfiguration: {
    hookline: 1,
    sources: [
      { id: exampleId('src'), name: 'My shop', enabled: true, rateLimit: null, space: 'default' },
    ],
    destinations: [],
    audiences: [],
    traits: [],
  },
}

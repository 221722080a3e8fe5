import type { JsonSchema } from './schema-html.ts'

/** The id of an example. All ids of one kind are the same, so that examples fit together. */
export function exampleId(prefix: string): string {
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
export interface ExampleContext {
  /** The schemas of the document by their names. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** The prefix of ids of this kind of record. */
  readonly idPrefix: string
}

/** A value that the schema allows, with usual values in it. @param name of the field that has it */
export function exampleOf(schema: JsonSchema, context: ExampleContext, name = ''): unknown {
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

import fc from 'fast-check'

type Values = fc.Arbitrary<unknown>

/** The subset of JSON Schema that the OpenAPI document uses for requests. */
interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
}

/** Texts that often cause errors. */
export const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', ' ', '-1', '0', '1e9', '999999999999', 'true', 'null', '[]', '{}', '%00'),
  fc.constantFrom(
    'x'.repeat(1_500),
    '💥'.repeat(50),
    '\u202e',
    '\0',
    '../..',
    '__proto__',
    'evt_\0',
  ),
  fc.constantFrom("'; DROP TABLE events; --", '%', '_', 'src_', 'evt_', 'msg_~'),
  fc.constantFrom('2026-01-01', '9999-12-31T23:59:59Z', '0000-01-01', 'https://a.example/hook'),
)

export class SchemaValues {
  readonly #text: fc.Arbitrary<string>
  readonly #anything = fc.jsonValue({ maxDepth: 2 })

  /** @param text generates the strings */
  constructor(text: fc.Arbitrary<string>) {
    this.#text = text
  }

  allowedBy(schema: Schema): Values {
    if (schema.const !== undefined) return fc.constant(schema.const)
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    const types = [schema.type ?? 'any'].flat()
    return fc.oneof(...types.map((type) => this.#ofType(type, schema)))
  }

  /** Mostly valid values, with some invalid parts at any depth. */
  nearly(schema: Schema): Values {
    const usual = schema.items
      ? fc.array(this.nearly(schema.items), { maxLength: 3 })
      : this.allowedBy(schema)
    const rare = schema.properties
      ? fc.oneof(this.#withUnknown(schema.properties), this.#anything)
      : this.#anything
    return fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: rare })
  }

  #withUnknown(properties: Readonly<Record<string, Schema>>): Values {
    const unknown = fc.dictionary(this.#text, this.#anything, { maxKeys: 1 })
    const known = record(properties, (field) => this.nearly(field), [])
    return fc.tuple(known, unknown).map(([fields, more]) => ({ ...more, ...fields }))
  }

  #ofType(type: string, schema: Schema): Values {
    const { minimum: min = -9, maximum: max = Number.MAX_SAFE_INTEGER } = schema
    if (type === 'null') return fc.constant(null)
    if (type === 'boolean') return fc.boolean()
    if (type === 'string') return this.#text
    if (type === 'integer') return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }))
    if (type === 'array') return fc.array(this.allowedBy(schema.items ?? {}), { maxLength: 3 })
    if (type === 'object') return this.#object(schema)
    return this.#anything
  }

  #object({ properties, required = [] }: Schema): Values {
    if (properties === undefined) return fc.dictionary(this.#text, this.#text, { maxKeys: 3 })
    return record(properties, (field) => this.allowedBy(field), required)
  }
}

function record(
  properties: Readonly<Record<string, Schema>>,
  values: (field: Schema) => Values,
  required: readonly string[],
): fc.Arbitrary<object> {
  const fields = Object.entries(properties).map(([name, field]) => [name, values(field)] as const)
  return fc.record<Record<string, unknown>>(Object.fromEntries(fields), {
    requiredKeys: [...required],
  })
}

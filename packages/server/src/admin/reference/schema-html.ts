import { escapeHtml as e } from './escape-html.ts'

/** A JSON Schema, as far as the reference shows it. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

/** What a schema takes: its type, its limits, and its fields below it. */
export function schemaHtml(schema: JsonSchema): string {
  const about = schema.description === undefined ? '' : ` ${e(schema.description)}`
  return `<div class="schema">${typeHtml(schema)}${about}${fieldsHtml(schema)}</div>`
}

function fieldsHtml(schema: JsonSchema): string {
  const { properties, required = [] } = schema.items ?? schema
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '<i>?</i>'
    return `<li><code>${e(name)}${mark}</code> ${schemaHtml(field)}</li>`
  })
  return fields.length === 0 ? '' : `<ul>${fields.join('')}</ul>`
}

function typeHtml(schema: JsonSchema): string {
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return `<a href="#${e(name)}">${e(name)}</a>`
  if (schema.items !== undefined) return `array of ${typeHtml(schema.items)}`
  return `<small>${e([...typeOf(schema), ...limitsOf(schema)].join(', '))}</small>`
}

/** Where the values are listed, they say it themselves. */
function typeOf({ type, enum: values }: JsonSchema): string[] {
  if (type === undefined) return values === undefined ? ['any'] : []
  return [[type].flat().join(' or ')]
}

function limitsOf(schema: JsonSchema): string[] {
  const { format, minimum, maximum, maxLength, default: fallback } = schema
  const values = schema.const === undefined ? schema.enum : [schema.const]
  return [
    ...(format === undefined ? [] : [format]),
    ...(values === undefined ? [] : [values.map((value) => JSON.stringify(value)).join(' | ')]),
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`to ${maximum}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(fallback === undefined ? [] : [`${JSON.stringify(fallback)} if absent`]),
  ]
}

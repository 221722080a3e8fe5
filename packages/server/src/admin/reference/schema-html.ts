import { escapeHtml } from '../../util/escape-html.ts'

/** A JSON Schema, with the keywords that the reference shows. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** A schema as HTML: its type, its limits, its description, and a list of its fields. */
export function schemaHtml(schema: JsonSchema): string {
  const about = schema.description === undefined ? '' : ` ${escapeHtml(schema.description)}`
  return `<div class="schema">${typeHtml(schema)}${about}${fieldsHtml(schema)}</div>`
}

function fieldsHtml(schema: JsonSchema): string {
  const { properties, required = [], anyOf = [], oneOf = anyOf } = schema.items ?? schema
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '<i>?</i>'
    return `<li><code>${escapeHtml(name)}${mark}</code> ${schemaHtml(field)}</li>`
  })
  const options = oneOf.map((option) => `<li>${optionHtml(option)}</li>`)
  const all = [...fields, ...options]
  return all.length === 0 ? '' : `<ul>${all.join('')}</ul>`
}

/** An option that only requires a field of the object needs no type. */
function optionHtml(option: JsonSchema): string {
  if (option.required === undefined || option.properties !== undefined) return schemaHtml(option)
  return `with ${option.required.map((name) => `<code>${escapeHtml(name)}</code>`).join(', ')}`
}

function typeHtml(schema: JsonSchema): string {
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`
  if (schema.items !== undefined) return `array of ${typeHtml(schema.items)}`
  const isChoice = (schema.anyOf ?? schema.oneOf) !== undefined
  if (isChoice && schema.properties === undefined) return '<small>one of</small>'
  return `<small>${escapeHtml([...typeOf(schema), ...limitsOf(schema)].join(', '))}</small>`
}

/** Nothing for an enum without a type: its values show the type. */
function typeOf({ type, enum: values }: JsonSchema): string[] {
  if (type === undefined) return values === undefined ? ['any'] : []
  return [[type].flat().join(' or ')]
}

function limitsOf(schema: JsonSchema): string[] {
  const { format, minimum, maximum, default: fallback } = schema
  const values = schema.const === undefined ? schema.enum : [schema.const]
  return [
    ...(format === undefined ? [] : [format]),
    ...(values === undefined ? [] : [values.map((value) => JSON.stringify(value)).join(' | ')]),
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`to ${maximum}`]),
    ...rangeOf(schema.minLength, schema.maxLength, 'characters'),
    ...rangeOf(schema.minItems, schema.maxItems, 'entries'),
    ...(fallback === undefined ? [] : [`${JSON.stringify(fallback)} if absent`]),
  ]
}

function rangeOf(min: number | undefined, max: number | undefined, unit: string): string[] {
  if (min === undefined && max === undefined) return []
  if (max === undefined) return [min === 1 ? 'not empty' : `at least ${min} ${unit}`]
  return [min === undefined ? `at most ${max} ${unit}` : `${min} to ${max} ${unit}`]
}

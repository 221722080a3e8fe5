import { isJsonObject, isRounded, type Json, revive, roundedNumbers } from '@hookline/protocol'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import { isUtf8 } from 'node:buffer'
import type { TObject, TSchema } from 'typebox'
import { Errors } from 'typebox/value'
import { type FieldError, fieldError, jsonPointer, unknownFields } from '../../util/field-error.ts'
import { Problem } from '../problems/problem.ts'
import type { AdminApp } from './admin-app.ts'

const BODY_BYTES = 1024 * 1024

/** Accepts JSON bodies only, and only values that are stored unchanged. Invalid UTF-8 could merge two ids. */
export function acceptJsonOnly(app: AdminApp): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer' as const, bodyLimit: BODY_BYTES }
  app.addContentTypeParser<Buffer>('application/json', options, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    if (!isUtf8(body)) return done(new Problem('invalid_json'))
    const text = body.toString()
    void parse(request, text, (error, json) => {
      const errors = error ? [] : changedValues(text)
      if (errors.length > 0) return done(new Problem('invalid_body', { errors }))
      done(error, json)
    })
  })
}

/** An escaped surrogate. */
const SURROGATE = /\\u[dD][89a-fA-F]/

/** Marks a rounded number: JSON has no NaN. */
const ROUNDED = Number.NaN

const EXACT_NUMBER_HINT = 'Send it as a string, or send a number that fits a double.'
const UNICODE_HINT = 'Send valid Unicode, without lone surrogates.'

/** An error for each number that JavaScript rounds, and each string with a lone surrogate. @param text valid JSON */
function changedValues(text: string): readonly FieldError[] {
  if (roundedNumbers(text).values.size === 0 && !SURROGATE.test(text)) return []
  const body = revive(text, (_name, value, { source }) =>
    typeof value === 'number' && isRounded(source) ? ROUNDED : value,
  )
  return body === undefined ? [] : errorsIn(body)
}

/** The errors in all values of a body. Not recursive, because a hostile body may be nested deeply. */
function errorsIn(body: Json): readonly FieldError[] {
  const errors: FieldError[] = []
  const open: (readonly [pointer: string, value: Json])[] = [['', body]]
  for (const [pointer, value] of open) {
    if (Number.isNaN(value)) {
      errors.push(
        fieldError(pointer, 'not_exact', 'The number would be rounded.', EXACT_NUMBER_HINT),
      )
    }
    if (typeof value === 'string' && !value.isWellFormed()) {
      errors.push(
        fieldError(pointer, 'not_unicode', 'The string is not valid Unicode.', UNICODE_HINT),
      )
    }
    for (const [name, child] of childrenOf(value)) open.push([pointer + jsonPointer(name), child])
  }
  return errors
}

function childrenOf(value: Json): readonly (readonly [name: string | number, value: Json])[] {
  if (Array.isArray(value)) return [...value.entries()]
  return isJsonObject(value) ? (Object.entries(value) as [string, Json][]) : []
}

type Fields = Readonly<Record<string, unknown>>

/** The code and message of an error by JSON Schema keyword. The description of the field is the hint. */
const KEYWORD_ERRORS: Readonly<Record<string, readonly [code: string, message: string]>> = {
  type: ['invalid_type', 'has the wrong type'],
  enum: ['not_allowed', 'is not an allowed value'],
  const: ['not_allowed', 'is not an allowed value'],
  minLength: ['too_short', 'is too short'],
  maxLength: ['too_long', 'is too long'],
  pattern: ['invalid_format', 'has the wrong format'],
  minItems: ['too_few', 'has too few items'],
  maxItems: ['too_many', 'has too many items'],
  minimum: ['out_of_range', 'is too small'],
  maximum: ['out_of_range', 'is too large'],
}

interface RequestSchema extends TObject {
  readonly additionalProperties?: boolean
  /** The hint for each field that cannot be changed. */
  readonly 'x-immutable'?: Readonly<Record<string, string>>
  /** The prefix of additional query parameters. */
  readonly 'x-prefix'?: string
}

/** Validates a part of a request against the schema of its route. Reports one error for each field. */
export const validate: FastifySchemaCompiler<TObject> = ({ schema, httpPart }) => {
  const code = httpPart === 'body' ? 'invalid_body' : 'invalid_query'
  return (input: unknown) => {
    const value = httpPart === 'querystring' ? withIntegers(schema, input) : (input ?? {})
    const errors = isJsonObject(value) ? errorsOf(schema, value) : [NOT_AN_OBJECT]
    return errors.length > 0 ? { error: new Problem(code, { errors }) } : { value }
  }
}

const NOT_AN_OBJECT = fieldError(
  '',
  'invalid_type',
  'The body is not an object.',
  'Send a JSON object.',
)

function errorsOf(schema: RequestSchema, value: Fields): FieldError[] {
  const { properties, 'x-prefix': prefix, 'x-immutable': hints = {} } = schema
  const names = Object.keys(value).filter(
    (name) => prefix !== undefined && name.startsWith(prefix) && typeof value[name] === 'string',
  )
  const allowed = [...Object.keys(properties), ...names]
  const unknown = schema.additionalProperties === false ? unknownFields(value, allowed) : []
  return [
    ...unknown.map((each) => immutableField(hints, each) ?? each),
    ...Object.entries<TSchema>(properties).flatMap(([name, field]) => {
      if (Object.hasOwn(value, name)) return errorOf(name, field, value[name])
      if (!schema.required?.includes(name)) return []
      return fieldError(jsonPointer(name), 'required', `${name} is missing.`, hintOf(field))
    }),
  ]
}

function errorOf(name: string, field: TSchema, value: unknown): FieldError | readonly [] {
  const [error] = Errors(field, value)
  if (error === undefined) return []
  const [code, message] = KEYWORD_ERRORS[error.keyword] ?? ['invalid', 'is not valid']
  const pointer = jsonPointer(name) + error.instancePath
  return fieldError(pointer, code, `${name} ${message}.`, hintOf(field))
}

function immutableField(
  hints: Readonly<Record<string, string>>,
  { pointer }: FieldError,
): FieldError | undefined {
  const name = pointer.slice(1)
  if (!Object.hasOwn(hints, name)) return undefined
  return fieldError(pointer, 'immutable', `${name} cannot be changed.`, hints[name]!)
}

function hintOf(field: TSchema): string {
  return (field as { description?: string }).description ?? ''
}

/** Converts integer query parameters from strings to numbers. */
function withIntegers(schema: TObject, query: unknown): unknown {
  if (!isJsonObject(query)) return query
  const numbered = Object.entries(query).map(([name, value]) => {
    const { type } = (schema.properties[name] ?? {}) as { type?: string }
    const isInteger = type === 'integer' && typeof value === 'string' && /^\d{1,9}$/.test(value)
    return [name, isInteger ? Number(value) : value]
  })
  return Object.fromEntries(numbered)
}

/** Refuses query parameters and bodies that a route does not declare: if the route ignored a `dryRun`, it would change data. */
export function refuseUndeclared(app: FastifyInstance): void {
  app.addHook('preValidation', async ({ is404, routeOptions, query, body }) => {
    if (is404) return
    const { schema = {} } = routeOptions
    if (schema.querystring === undefined) refuse(query, 'invalid_query')
    if (schema.body === undefined) refuse(body, 'invalid_body')
  })
}

function refuse(input: unknown, code: 'invalid_query' | 'invalid_body'): void {
  if (input === undefined) return
  if (!isJsonObject(input)) throw new Problem(code, { detail: 'This route accepts no body.' })
  const errors = unknownFields(input, [])
  if (errors.length > 0) throw new Problem(code, { errors })
}

const TRAILING_SLASH =
  'Remove the slash at the end of the path. Clients shorten a path that ends in "..", so this request may be meant for another resource.'

/**
 * Refuses requests whose URL may refer to a different resource than intended:
 *
 * - A change whose path ends with a slash: clients resolve `DELETE /sources/x/write-keys/..` to `DELETE /sources/x/`.
 * - A query with a percent escape that is not UTF-8, such as `%E9`, which the framework would not decode.
 */
export function refuseAmbiguousUrls(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ method, url }) => {
    const pathLength = url.search(/[?#]|$/)
    const isChange = method !== 'GET' && method !== 'HEAD'
    if (isChange && url[pathLength - 1] === '/')
      throw new Problem('not_found', { detail: TRAILING_SLASH })
    if (!isDecodable(url.slice(pathLength)))
      throw new Problem('bad_request', { detail: 'The query cannot be decoded.' })
  })
}

function isDecodable(query: string): boolean {
  try {
    decodeURIComponent(query)
    return true
  } catch {
    return false
  }
}

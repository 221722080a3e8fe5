/** Parts of request and response schemas, imported as `Schema`. */
import { DEFAULT_SPACE, formatTimestamp } from '@hookline/protocol'
import Type, { type Static, type TProperties, type TSchema, type TUnsafe } from 'typebox'
import type { Role } from '../../backend/tokens.ts'

/** Returns functions, one for each required role, that build the schema fields of an operation with this tag. */
export function operationsTagged(tag: string) {
  const requiring = (role: Role) => (operationId: string, summary: string) => ({
    tags: [tag],
    role,
    operationId,
    summary,
  })
  return { viewer: requiring('viewer'), editor: requiring('editor'), admin: requiring('admin') }
}

export function text(description: string) {
  return Type.String({ description })
}

export function number(description: string) {
  return Type.Number({ description })
}

export function integer(description: string) {
  return Type.Integer({ description })
}

export function boolean(description: string) {
  return Type.Boolean({ description })
}

export function oneOf<Values extends string[]>(values: readonly [...Values], description: string) {
  return Type.Enum(values, { description })
}

export const time = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })

export function timeOf(description: string) {
  return Type.String({ format: 'date-time', description })
}

/** `schema` or `null`, with two types instead of `anyOf`. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, enum: values, ...rest } = schema as T & { type?: unknown; enum?: unknown[] }
  return Type.Unsafe({
    ...rest,
    ...(type !== undefined && { type: [type, 'null'] }),
    ...(values && { enum: [...values, null] }),
  })
}

/** `schema` or `null`, for references and open objects, which have no `type`. */
export function orNull(schema: TSchema, description: string): TSchema {
  return Type.Unsafe({ anyOf: [schema, { type: 'null' }], description })
}

/** A JSON object that the API passes on unchanged. */
export const anyObject = Type.Unsafe({ type: 'object', additionalProperties: true })

/** The schemas that the OpenAPI document lists as components. */
export const components = new Set<TSchema>()

/** A reference to a schema by its `$id`. Makes it a component of the OpenAPI document. */
export function ref(schema: TSchema): TSchema {
  components.add(schema)
  return Type.Unsafe({ $ref: `${(schema as { $id?: string }).$id}#` })
}

/** The name of a source, a destination, an audience, a computed trait or a token. */
export const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'A string of 1 to 200 characters, not only spaces.',
})

/** The id of a user, without lone surrogates, which the database would change. */
export const userId = { minLength: 1, pattern: String.raw`^\P{Cs}*$` }

/** The id of a new user, which must not contain control characters either. */
export const newUserId = { ...userId, pattern: String.raw`^[^\p{Cs}\p{Cc}]*$` }

export function space(purpose: string) {
  const description = `${purpose} 1 to 50 of the characters a-z, 0-9, _ and -.`
  return Type.String({ pattern: '^[a-z0-9_-]{1,50}$', description })
}

export const DEFAULT_SPACE_TEXT = `${DEFAULT_SPACE} if absent.`

export const version = integer('The version, which is also in the ETag.')

const SET_BY_SERVER = 'Omit it: the server sets it.'

/** For `x-immutable`: fields that the server sets on every record, with the remedy for a request that contains one. */
export const IMMUTABLE_FIELDS = {
  id: SET_BY_SERVER,
  createdAt: SET_BY_SERVER,
  updatedAt: SET_BY_SERVER,
  version: SET_BY_SERVER,
}

/** For objects in requests: other fields are errors. */
export const strict = { additionalProperties: false }

export function strictObject<T extends TProperties>(properties: T) {
  return Type.Object(properties, strict)
}

/** A query parameter that is true or false. */
export function flag(description: string) {
  return Type.Optional(oneOf(['true', 'false'], description))
}

export const EmptyBody = strictObject({})

export const IdParams = Type.Object({ id: Type.String() })

export const IfMatchHeaders = Type.Object({
  'if-match': Type.Optional(text('An ETag. The request fails with 412 if the record has changed.')),
})

export const listQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: '1 to 200; 50 if absent.' }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, description: 'nextCursor from the previous page.' }),
  ),
}

export const ListQuery = strictObject(listQuery)

export const TIME_FORMAT = 'A time in ISO 8601, like 2026-01-31T12:00:00Z.'

export const timeRange = {
  from: Type.Optional(
    Type.String({ maxLength: 40, description: `At this time or later. ${TIME_FORMAT}` }),
  ),
  to: Type.Optional(
    Type.String({ maxLength: 40, description: `Before this time. ${TIME_FORMAT}` }),
  ),
}

/** Part of the description of lists with filters. */
export const SHORT_PAGES =
  'With a filter, a page may be short or empty and still have a nextCursor: continue until it is null.'

/** A page of `item`, with additional fields. */
export function page(item: TSchema, more: Readonly<Record<string, TSchema>> = {}): TSchema {
  return Type.Object({
    data: Type.Array(item),
    nextCursor: nullable(text('null on the last page.')),
    ...more,
  })
}

export const FieldErrorResponse = Type.Object({
  pointer: text('A JSON Pointer into the body or the parameters.'),
  code: Type.String(),
  message: Type.String(),
  hint: Type.String(),
})

/** The body of every error response (RFC 9457). */
export const ProblemResponse = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: text('For programs; docs/reference/errors.md explains each code.'),
    detail: Type.String(),
    requestId: Type.String(),
    errors: Type.Array(FieldErrorResponse),
  },
  { $id: 'Problem' },
)

/** The `response` of a route: the successful response, and a Problem for errors. */
export function responses(status: 200 | 201 | 202 | 204, success: string, schema?: TSchema) {
  const content = schema && { content: { 'application/json': { schema } } }
  return {
    [status]: { description: success, ...(content ?? { type: 'null' }) },
    default: { ...PROBLEM, headers: RETRY_AFTER },
  }
}

const PROBLEM = {
  description: 'A problem.',
  content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
}

/** The `response` of a route with a media type other than JSON. */
export function media(type: string, success: string, schema: TSchema): object {
  return { 200: { description: success, content: { [type]: { schema } } }, default: PROBLEM }
}

export function ok(success: string, schema: TSchema): object {
  return responses(200, success, schema)
}

export function pages(success: string, item: TSchema): object {
  return ok(success, page(item))
}

const RETRY_AFTER = { 'retry-after': integer('Seconds to wait before a retry.') }
const ETAG = { etag: text('The version of the record, for If-Match in the next change.') }

/** The `response` of a route that shows a record with its ETag. */
export function versionedResponses(status: 200 | 201, success: string, schema: TSchema): object {
  const all = responses(status, success, schema) as Record<number, object>
  return { ...all, [status]: { ...all[status], headers: ETAG } }
}

export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : formatTimestamp(ms)
}

/** A copy of `record` with the times in these fields as the API returns them. */
export function withTimes<
  Name extends string,
  T extends { readonly [Each in Name]: number | null },
>(record: T, ...names: readonly Name[]): Omit<T, Name> & Record<Name, string | null> {
  const times = names.map((each) => [each, timeOrNull(record[each])])
  return { ...record, ...Object.fromEntries(times) } as Omit<T, Name> & Record<Name, string | null>
}

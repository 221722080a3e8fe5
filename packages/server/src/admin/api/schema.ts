/** The parts of the schemas of requests and responses: imported as `Schema`, and used beside `Type` of TypeBox. */
import { DEFAULT_SPACE, formatTimestamp } from '@hookline/protocol'
import Type, { type Static, type TProperties, type TSchema, type TUnsafe } from 'typebox'
import type { Role } from '../../backend/tokens.ts'

/**
 * For each role, the function that names an operation of this tag that requires the role, for the schema of its route.
 */
export function operationsTagged(tag: string) {
  const requiring = (role: Role) => (operationId: string, summary: string) => ({
    tags: [tag],
    role,
    operationId,
    summary,
  })
  return { viewer: requiring('viewer'), editor: requiring('editor'), admin: requiring('admin') }
}

/** A text with a description. */
export function text(description: string) {
  return Type.String({ description })
}

/** A number with a description. */
export function number(description: string) {
  return Type.Number({ description })
}

/** A whole number with a description. */
export function integer(description: string) {
  return Type.Integer({ description })
}

/** true or false, with a description. */
export function boolean(description: string) {
  return Type.Boolean({ description })
}

/** One of these texts, with a description. */
export function oneOf<Values extends string[]>(values: readonly [...Values], description: string) {
  return Type.Enum(values, { description })
}

/** A time as the API shows it. */
export const time = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })

/** A time with a description. */
export function timeOf(description: string) {
  return Type.String({ format: 'date-time', description })
}

/** `schema` or `null`, as one `type` with two names: shorter to read than `anyOf`. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, enum: values, ...rest } = schema as T & { type?: unknown; enum?: unknown[] }
  return Type.Unsafe({
    ...rest,
    ...(type !== undefined && { type: [type, 'null'] }),
    ...(values && { enum: [...values, null] }),
  })
}

/** `schema` or `null`, for a reference, which has no `type` that `nullable` could add to, and for an open object. */
export function orNull(schema: TSchema, description: string): TSchema {
  return Type.Unsafe({ anyOf: [schema, { type: 'null' }], description })
}

/** A JSON object that the API passes on unchanged. */
export const anyObject = Type.Unsafe({ type: 'object', additionalProperties: true })

/** A reference to a schema that openapi.ts registers under its `$id`. */
export function ref(schema: TSchema): TSchema {
  return Type.Unsafe({ $ref: `${(schema as { $id?: string }).$id}#` })
}

/** The name of a source, a destination, an audience, a computed trait or a token. */
export const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'A text of 1 to 200 characters, not only spaces.',
})

/** The id of a user. A lone surrogate is half of a character: the database would store another id. */
export const userId = { minLength: 1, pattern: String.raw`^\P{Cs}*$` }

/** The id of a user that may be new. Others may have control characters: earlier versions accepted them. */
export const newUserId = { ...userId, pattern: String.raw`^[^\p{Cs}\p{Cc}]*$` }

/** The name of a space. `what` says what it selects. */
export function space(what: string) {
  const description = `${what} 1 to 50 of a-z, 0-9, _ and -.`
  return Type.String({ pattern: '^[a-z0-9_-]{1,50}$', description })
}

/** Part of the description of a space that may be absent. */
export const DEFAULT_SPACE_TEXT = `${DEFAULT_SPACE} if absent.`

/** The version of a record. */
export const version = integer('The version, as in the ETag.')

/** The fields that the server sets on every record, with a remedy for requests that contain them: for `x-fixed`. */
export const FIXED_FIELDS = Object.fromEntries(
  ['id', 'createdAt', 'updatedAt', 'version'].map((field) => [
    field,
    'Leave it out: the server sets it.',
  ]),
)

/** For objects of requests: other fields are faults. */
export const strict = { additionalProperties: false }

/** An object of a request: other fields are faults. */
export function strictObject<T extends TProperties>(properties: T) {
  return Type.Object(properties, strict)
}

/** A query parameter that is true or false. */
export function flag(description: string) {
  return Type.Optional(oneOf(['true', 'false'], description))
}

/** A body without fields. */
export const EmptyBody = Type.Object({}, strict)

/** The path parameters of a route about one record. */
export const IdParams = Type.Object({ id: Type.String() })

/** The headers of routes that change a record. */
export const IfMatchHeaders = Type.Object({
  'if-match': Type.Optional(
    text('An ETag. The request fails with 412 if the record has another one by now.'),
  ),
})

/** The query parameters of every list. */
export const listQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: '1 to 200; 50 if absent.' }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, description: 'nextCursor of the previous page.' }),
  ),
}

/** The query of a list without filters. */
export const ListQuery = Type.Object(listQuery, strict)

export const TIME_FORM = 'A time in ISO 8601, like 2026-01-31T12:00:00Z.'

/** The query parameters of lists that can be limited to a time range. */
export const timeRange = {
  from: Type.Optional(
    Type.String({ maxLength: 40, description: `At this time or later. ${TIME_FORM}` }),
  ),
  to: Type.Optional(Type.String({ maxLength: 40, description: `Before this time. ${TIME_FORM}` })),
}

/** Part of the description of lists with filters. */
export const SHORT_PAGES =
  'If few records match the filter, a page may be short or even empty and still have a nextCursor: continue until it is null.'

/** A page of `item`, and of what else is in the response. */
export function page(item: TSchema, more: Readonly<Record<string, TSchema>> = {}): TSchema {
  return Type.Object({
    data: Type.Array(item),
    nextCursor: nullable(text('null on the last page.')),
    ...more,
  })
}

/** The body of every error response (RFC 9457). */
export const ProblemResponse = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: text('For programs; docs/reference/errors.md explains each code.'),
    detail: Type.String(),
    requestId: Type.String(),
    errors: Type.Array(
      Type.Object({
        pointer: text('A JSON Pointer into the body, or the name of a parameter.'),
        code: Type.String(),
        message: Type.String(),
        hint: Type.String(),
      }),
    ),
  },
  { $id: 'Problem' },
)

/** The `response` of a route: the successful response, and a Problem for errors. */
export function responses(
  status: 200 | 201 | 202 | 204,
  success: string,
  schema?: TSchema,
): object {
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

/** The `response` of a route whose successful response is of this media type, not JSON. */
export function media(type: string, success: string, schema: TSchema): object {
  return { 200: { description: success, content: { [type]: { schema } } }, default: PROBLEM }
}

/** The `response` of a route that responds with 200. */
export function ok(success: string, schema: TSchema): object {
  return responses(200, success, schema)
}

/** The `response` of a list: a page of `item`. */
export function pages(success: string, item: TSchema): object {
  return ok(success, page(item))
}

const RETRY_AFTER = {
  'retry-after': integer('Seconds to wait, if the same request may succeed later.'),
}

const ETAG = {
  etag: text('The version of the record, for If-Match of the next change.'),
}

/** The `response` of a route whose response is one version of a record, with its ETag. */
export function versionedResponses(status: 200 | 201, success: string, schema: TSchema): object {
  const all = responses(status, success, schema) as Record<number, object>
  return { ...all, [status]: { ...all[status], headers: ETAG } }
}

/** A time in milliseconds since the epoch as the API shows it; `null` stays `null`. */
export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : formatTimestamp(ms)
}

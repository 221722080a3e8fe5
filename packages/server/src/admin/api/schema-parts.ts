import { DEFAULT_SPACE, formatTimestamp } from '@hookline/protocol'
import Type, { type Static, type TSchema, type TUnsafe } from 'typebox'

/** Makes the function that names the operations of one tag, for the schemas of their routes. */
export function operationsTagged(tag: string) {
  return (operationId: string, summary: string) => ({ tags: [tag], operationId, summary })
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

/** The name of a source, a destination, an audience, a computed trait or a token. */
export const nameField = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'A text of 1 to 200 characters, not only spaces.',
})

/** The id of a user. A lone surrogate is half of a character: the database would store another id. */
export const userIdField = { minLength: 1, pattern: String.raw`^\P{Cs}*$` }

/** The id of a user that may be new. Others may have control characters: earlier versions accepted them. */
export const newUserIdField = { ...userIdField, pattern: String.raw`^[^\p{Cs}\p{Cc}]*$` }

/** The name of a space. `what` says what it selects. */
export function spaceField(what: string) {
  const description = `${what} 1 to 50 of a-z, 0-9, _ and -.`
  return Type.String({ pattern: '^[a-z0-9_-]{1,50}$', description })
}

/** Part of the description of a space that may be absent. */
export const DEFAULT_SPACE_TEXT = `${DEFAULT_SPACE} if absent.`

/** A time as the API shows it. */
export const time = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })

/** A time in milliseconds since the epoch as the API shows it; `null` stays `null`. */
export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : formatTimestamp(ms)
}

/** The path parameters of a route about one record. */
export const IdParams = Type.Object({ id: Type.String() })

/** A body without fields. */
export const EmptyBody = Type.Object({}, { additionalProperties: false })

/** The headers of routes that change a record. */
export const IfMatchHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description: 'An ETag. The request fails with 412 if the record has another one by now.',
    }),
  ),
})

/** A JSON object that the API passes on unchanged. */
export const anyObject = Type.Unsafe({ type: 'object', additionalProperties: true })

/** The fields that the server sets on every record, with a remedy for requests that contain them: for `x-fixed`. */
export const FIXED_FIELDS = Object.fromEntries(
  ['id', 'createdAt', 'updatedAt', 'version'].map((name) => [
    name,
    'Leave it out: the server sets it.',
  ]),
)

import Type, { type Static, type TSchema, type TUnsafe } from 'typebox'

/** `schema`, or `null`. In one `type`, which reads better in a document than `anyOf`. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, ...rest } = schema as T & { type?: unknown }
  return Type.Unsafe({ ...rest, type: [type, 'null'] })
}

/** The name of a source or destination. */
export const nameField = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'A text of 1 to 200 characters, not only spaces.',
})

/** A moment as the API shows it. */
export const time = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })

/** The parameters of a path that names one thing. */
export const IdInPath = Type.Object({ id: Type.String() })

/** The header of routes that change something. */
export const IfMatch = Type.Object({
  'if-match': Type.Optional(
    Type.String({ description: 'An ETag: nothing is done where it is no longer that.' }),
  ),
})

/** A JSON object that the API passes on as it is. */
export const anyObject = Type.Unsafe({ type: 'object', additionalProperties: true })

/** Fields of every record that the server sets, with what to do where they are given: for `x-fixed`. */
export const SET_BY_SERVER = Object.fromEntries(
  ['id', 'createdAt', 'updatedAt', 'version'].map((name) => [
    name,
    'Leave it out: the server sets it.',
  ]),
)

import Type, { type TSchema } from 'typebox'

/** The body of every error response (RFC 9457). */
export const ProblemResponse = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String({
      description: 'For programs; docs/reference/errors.md explains each code.',
    }),
    detail: Type.String(),
    requestId: Type.String(),
    errors: Type.Array(
      Type.Object({
        pointer: Type.String({
          description: 'A JSON Pointer into the body, or the name of a parameter.',
        }),
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
  const problem = { 'application/problem+json': { schema: { $ref: 'Problem#' } } }
  return {
    [status]: { description: success, ...(content ?? { type: 'null' }) },
    default: { description: 'A problem.', headers: RETRY_AFTER, content: problem },
  }
}

const RETRY_AFTER = {
  'retry-after': Type.Integer({
    description: 'Seconds to wait, if the same request may succeed later.',
  }),
}

const ETAG = {
  etag: Type.String({ description: 'The version of the record, for If-Match of the next change.' }),
}

/** The `response` of a route whose response is one version of a record, with its ETag. */
export function versionedResponses(status: 200 | 201, success: string, schema: TSchema): object {
  const all = responses(status, success, schema) as Record<number, object>
  return { ...all, [status]: { ...all[status], headers: ETAG } }
}

/** A reference to the schema that openapi.ts registers under this `$id`. */
export function componentSchema(
  name:
    | 'Source'
    | 'Destination'
    | 'Event'
    | 'Delivery'
    | 'Replay'
    | 'Token'
    | 'Session'
    | 'Deletion'
    | 'Suppression'
    | 'Audience'
    | 'ComputedTrait'
    | 'Sync'
    | 'Profile'
    | 'StatisticsPoint',
): TSchema {
  return Type.Unsafe({ $ref: `${name}#` })
}

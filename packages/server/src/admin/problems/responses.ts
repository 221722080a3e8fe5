import Type, { type TSchema } from 'typebox'

/** What every answer other than success looks like (RFC 9457). */
export const ProblemResponse = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String({ description: 'For programs; docs/errors.md explains each.' }),
    detail: Type.String(),
    requestId: Type.String(),
    errors: Type.Array(
      Type.Object({
        pointer: Type.String({ description: 'A JSON Pointer into the body, or a parameter.' }),
        code: Type.String(),
        message: Type.String(),
        hint: Type.String(),
      }),
    ),
  },
  { $id: 'Problem' },
)

/** The `response` of a route: its success, and the problem for all else. */
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
    description: 'Seconds to wait, where the same request may succeed later.',
  }),
}

const ETAG = {
  etag: Type.String({ description: 'The version, for If-Match of the next change.' }),
}

/** The `response` of a route that answers with one version of something. */
export function versionedResponses(status: 200 | 201, success: string, schema: TSchema): object {
  const answers = responses(status, success, schema) as Record<number, object>
  return { ...answers, [status]: { ...answers[status], headers: ETAG } }
}

/** The schema that was added to the server under this `$id`. */
export function componentSchema(
  name: 'Source' | 'Destination' | 'Event' | 'Delivery' | 'Replay' | 'Token' | 'Deletion',
): TSchema {
  return Type.Unsafe({ $ref: `${name}#` })
}

import { isJsonObject } from '@hookline/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { unknownFields } from '../../util/fault.ts'
import { Problem } from './problem.ts'

/**
 * Adds the hook that refuses the query parameters, and the fields of the body, of a route whose schema declares none.
 * Otherwise a route could ignore a `dryRun` and make the change. `validate` refuses unknown names on the
 * other routes.
 */
export function refuseUndeclared(app: FastifyInstance): void {
  app.addHook('preValidation', async ({ is404, routeOptions, query, body }) => {
    if (is404) return
    const { schema = {} } = routeOptions
    if (schema.querystring === undefined) refuse(query, 'invalid_query', schema)
    if (schema.body === undefined) refuse(body, 'invalid_body', schema)
  })
}

type Schema = NonNullable<FastifyRequest['routeOptions']['schema']>

function refuse(given: unknown, code: 'invalid_query' | 'invalid_body', schema: Schema): void {
  if (given === undefined) return
  if (!isJsonObject(given)) throw new Problem(code, { detail: 'The route takes no body.' })
  const faults = unknownFields(given, []).map((fault) => ({
    ...fault,
    hint: isInBody(fault.pointer.slice(1), schema) ? 'Send it in the body.' : fault.hint,
  }))
  if (faults.length > 0) throw new Problem(code, { faults })
}

/** Whether a query parameter has the name of a field of the body. */
function isInBody(name: string, { body }: Schema): boolean {
  const { properties = {} } = (body ?? {}) as { properties?: object }
  return Object.hasOwn(properties, name)
}

import type { FastifyInstance } from 'fastify'
import { Problem } from './problem.ts'

/**
 * Adds the hook that refuses a query with a percent escape that is not UTF-8, such as `%E9`, as the router refuses such a
 * path. The framework would take the escape as text, and the id `%E9` for another one. Ingestion reads no query, so it loses no
 * call for one.
 */
export function refuseUnreadableQuery(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ url }) => {
    // The query begins where the router ends the path.
    const start = url.search(/[?#]/)
    if (start < 0) return
    try {
      decodeURIComponent(url.slice(start))
    } catch {
      throw new Problem('bad_request', { detail: 'The query cannot be decoded.' })
    }
  })
}

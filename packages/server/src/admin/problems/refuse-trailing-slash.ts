import type { FastifyInstance } from 'fastify'
import { Problem } from './problem.ts'

/**
 * Adds the hook that refuses a change whose path ends with a slash. A client resolves the id `..` away, and
 * `DELETE /sources/x/write-keys/..` arrives as `DELETE /sources/x/`.
 */
export function refuseTrailingSlash(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ method, url }) => {
    if (method === 'GET' || method === 'HEAD') return
    const [path = ''] = url.split(/[?#]/, 1)
    if (path.endsWith('/')) throw new Problem('not_found', { detail: DETAIL })
  })
}

const DETAIL = 'The path of a change must not end with a slash. Clients resolve the id ".." away.'

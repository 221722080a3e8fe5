import type { FastifyInstance } from 'fastify'
import { Problem } from './problem.ts'

const TRAILING_SLASH =
  'The path of a change must not end with a slash. Clients resolve the id ".." away.'

/**
 * Refuses requests whose URL may mean another resource than its client named.
 *
 * - A change whose path ends with a slash: a client resolves the id `..` away, and `DELETE /sources/x/write-keys/..` arrives as
 *   `DELETE /sources/x/`.
 * - A query with a percent escape that is not UTF-8, such as `%E9`: the framework would take the escape as text, and so the id
 *   `%E9` for another one. The router refuses such a path. Ingestion accepts such a query rather than lose the call: it decodes
 *   no id from it.
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

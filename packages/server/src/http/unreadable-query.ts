import type { FastifyReply, FastifyRequest } from 'fastify'

/** The query of the request has a percent escape that is not UTF-8, such as `%E9`. */
class UnreadableQuery extends Error {
  override readonly name = 'UnreadableQuery'
  readonly statusCode = 400
}

/**
 * Refuses such a query, as the router refuses such a path. The framework would take the escape as text, and the id `%E9` for
 * another one.
 */
export function refuseUnreadableQuery(
  { url }: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  done(isReadable(url) ? undefined : new UnreadableQuery('The query cannot be decoded.'))
}

/** The query begins where the router ends the path. */
function isReadable(url: string): boolean {
  const start = url.search(/[?#]/)
  if (start < 0 || !url.includes('%', start)) return true
  try {
    decodeURIComponent(url.slice(start))
    return true
  } catch {
    return false
  }
}

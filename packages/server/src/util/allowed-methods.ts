import type { FastifyRequest } from 'fastify'

/** Methods of the routes at the request's path, for `Allow`; empty if there are none. */
export function allowedMethods({ server, url }: FastifyRequest): readonly string[] {
  return server.supportedMethods.filter((method) => server.findRoute({ method, url }) !== null)
}

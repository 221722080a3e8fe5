import type { FastifyRequest } from 'fastify'

/** The methods of the routes at the path of a request that reached no route: for `Allow`. Empty if the path has no route. */
export function allowedMethods({ server, url }: FastifyRequest): readonly string[] {
  return server.supportedMethods.filter((method) => server.findRoute({ method, url }) !== null)
}

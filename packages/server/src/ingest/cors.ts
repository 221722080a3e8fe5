import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Lets browsers on any site send to the ingestion routes. The write key is public, and nothing is
 * answered that a site must not see. Registered as an `onRequest` hook.
 */
export function allowAnyOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void {
  const { origin } = request.headers
  void reply.header('vary', 'Origin')
  if (origin !== undefined) {
    void reply.header('access-control-allow-origin', origin)
    void reply.header('access-control-expose-headers', 'Retry-After')
    if (request.method === 'OPTIONS') allowAskedFor(request, reply)
  }
  done()
}

function allowAskedFor(request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('access-control-allow-methods', 'GET,POST,OPTIONS')
  void reply.header('access-control-max-age', '86400')
  const asked = request.headers['access-control-request-headers']
  if (asked !== undefined) void reply.header('access-control-allow-headers', asked)
}

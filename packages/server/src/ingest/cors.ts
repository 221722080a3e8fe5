import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Lets browsers on any site send calls. The write key is public, and no response contains anything that a site must not
 * see. Register it as an `onRequest` hook.
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
    if (request.method === 'OPTIONS') allowRequested(request, reply)
  }
  done()
}

function allowRequested(request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('access-control-allow-methods', 'GET,POST,OPTIONS')
  void reply.header('access-control-max-age', '86400')
  const requested = request.headers['access-control-request-headers']
  if (requested !== undefined) void reply.header('access-control-allow-headers', requested)
}

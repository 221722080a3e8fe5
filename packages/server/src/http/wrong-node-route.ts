import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorFormat, sendError } from './responses.ts'

/** A client sends it again, to a node that the load balancer chooses then. */
const RETRY_AFTER_SECONDS = 1

/** Refuses everything at these paths, because other nodes serve it. Routes with a longer path go before. */
export function wrongNodeRoute(
  paths: readonly string[],
  errorFormat: ErrorFormat,
): FastifyPluginAsync {
  return async (server) => {
    const refuse = (_request: FastifyRequest, reply: FastifyReply): void => {
      void reply.header('retry-after', RETRY_AFTER_SECONDS)
      sendError(reply, 'wrong_node', errorFormat)
    }
    server.removeAllContentTypeParsers()
    // What it has is not read: the response comes first.
    server.addContentTypeParser('*', (_request, _payload, done) => done(null))
    for (const path of paths) server.all(path, refuse)
  }
}

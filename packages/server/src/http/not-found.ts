import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendError } from './send-json.ts'

/** Answers 405 with `Allow` where the path takes other methods, else 404. */
export function answerNotFound(request: FastifyRequest, reply: FastifyReply): void {
  const allowed = methodsOf(request.server, request.url)
  if (allowed.length === 0) return sendError(reply, 'not_found')
  void reply.header('allow', allowed.join(', '))
  sendError(reply, 'method_not_allowed')
}

function methodsOf(server: FastifyInstance, url: string): readonly string[] {
  return server.supportedMethods.filter((method) => server.findRoute({ method, url }) !== null)
}

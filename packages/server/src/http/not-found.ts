import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorForm, sendError } from './error-form.ts'

/** Answers 405 with `Allow` where the path takes other methods, else 404. */
export function notFoundAnswerer(form: ErrorForm) {
  return function answerNotFound(request: FastifyRequest, reply: FastifyReply): void {
    const allowed = methodsOf(request.server, request.url)
    if (allowed.length === 0) return sendError(reply, 'not_found', form)
    void reply.header('allow', allowed.join(', '))
    sendError(reply, 'method_not_allowed', form)
  }
}

function methodsOf(server: FastifyInstance, url: string): readonly string[] {
  return server.supportedMethods.filter((method) => server.findRoute({ method, url }) !== null)
}

import { ingestError, type IngestCodeName } from '@hookline/protocol'
import type { FastifyReply } from 'fastify'

/** Names the charset, so that the framework has nothing to add. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** The body of the error answer that `code` stands for. */
export function errorBody(code: IngestCodeName): string {
  return JSON.stringify(ingestError(code))
}

/** Answers with a JSON text. */
export function sendJson(reply: FastifyReply, status: number, json: string): void {
  void reply.code(status).header('content-type', JSON_TYPE).send(json)
}

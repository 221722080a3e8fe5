import { WEBHOOK_PAYLOAD_SCHEMA } from '@hookline/protocol'
import type { FastifyPluginAsync } from 'fastify'
import { ingestionOpenapi } from './ingestion-openapi.ts'

/** The paths of the documents about the ingestion API and about what webhooks receive. */
export const DOCUMENT_PATHS = {
  openapi: '/v1/openapi.json',
  payloadSchema: '/v1/webhook-payload.schema.json',
} as const

/** Serves the OpenAPI document and the JSON Schema of the payload. They are the same for every service, and have no secret. */
export const documentRoutes: FastifyPluginAsync = async (server) => {
  // Made once, and as bytes, which the connections share.
  const documents = [
    [DOCUMENT_PATHS.openapi, 'application/json', ingestionOpenapi()],
    [DOCUMENT_PATHS.payloadSchema, 'application/schema+json', WEBHOOK_PAYLOAD_SCHEMA],
  ] as const
  for (const [path, type, document] of documents) {
    const bytes = Buffer.from(JSON.stringify(document))
    server.get(path, (_request, reply) => {
      void reply
        .header('content-type', `${type}; charset=utf-8`)
        .header('access-control-allow-origin', '*')
        .header('x-content-type-options', 'nosniff')
        .send(bytes)
    })
  }
}

import { WEBHOOK_PAYLOAD_SCHEMA } from '@hookline/protocol'
import type { FastifyPluginAsync } from 'fastify'

/** Serves the JSON Schema of the webhook payload. It is public, and the same for every service. */
export const payloadSchemaRoute: FastifyPluginAsync = async (server) => {
  const bytes = Buffer.from(JSON.stringify(WEBHOOK_PAYLOAD_SCHEMA))
  server.get('/v1/webhook-payload.schema.json', (_request, reply) => {
    void reply
      .header('content-type', 'application/schema+json; charset=utf-8')
      .header('access-control-allow-origin', '*')
      .header('x-content-type-options', 'nosniff')
      .send(bytes)
  })
}

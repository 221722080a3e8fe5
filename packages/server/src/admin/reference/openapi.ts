import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import Type from 'typebox'
import type { AdminApp } from '../api/admin-app.ts'
import * as Schema from '../api/schema.ts'
import { AudienceResponse } from '../audiences.ts'
import { SyncResponse } from '../computations/computation.ts'
import { DeletionResponse } from '../deletions.ts'
import { DeliveryResponse } from '../deliveries/deliveries.ts'
import { DestinationResponse } from '../destinations/destinations.ts'
import { EventResponse } from '../events/events.ts'
import { ProfileResponse, ProfileSummaryResponse } from '../profiles.ts'
import { ReplayResponse } from '../replays.ts'
import { SessionResponse } from '../sessions/sessions.ts'
import { SourceResponse } from '../sources.ts'
import { PointResponse } from '../statistics.ts'
import { SuppressionResponse } from '../suppressions.ts'
import { TokenResponse } from '../tokens.ts'
import { ComputedTraitResponse } from '../traits.ts'
import { withExamples } from './examples.ts'
import type { OpenapiDocument } from './openapi-document.ts'

const OPTIONS: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Hookline management API',
      description:
        'Manages sources, destinations and audiences, and shows the outcome of every event.',
      version: '1',
    },
    servers: [
      {
        url: '{address}',
        description: 'Your Hookline.',
        variables: {
          address: {
            default: 'http://127.0.0.1:4800',
            description: 'The address of the service; with adminPort, that of this port.',
          },
        },
      },
    ],
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The admin token, or a token created with POST /tokens.',
        },
      },
    },
    security: [{ token: [] }],
  },
  refResolver: { buildLocalReference: ({ $id }) => $id as string },
  transform: ({ schema, url, route }) => ({
    url,
    schema: route.method === 'POST' ? withIdempotencyKey(schema) : schema,
  }),
}

/** Adds the header that repeatResponses reads on every POST, so that no route has to declare it. */
function withIdempotencyKey(schema: FastifySchema): FastifySchema {
  const { properties } = (schema.headers ?? {}) as { properties?: object }
  return { ...schema, headers: Type.Object({ ...properties, 'idempotency-key': IDEMPOTENCY_KEY }) }
}

const IDEMPOTENCY_KEY = Type.Optional(
  Schema.text(
    'Makes it safe to send the request again: within 24 hours, a request with the same key gets the response of the first one and changes nothing. A record and the response to the request that made it are stored together, so this holds wherever the service ends in between. Where the response shows data of users, it is not kept, and the second request gets the problem response_not_kept.',
  ),
)

/** Serves the OpenAPI 3.1 document of the routes that are added afterwards. It contains no secret and needs no token. */
export async function serveOpenapi(app: AdminApp): Promise<void> {
  for (const schema of [
    Schema.ProblemResponse,
    SourceResponse,
    DestinationResponse,
    EventResponse,
    DeliveryResponse,
    ReplayResponse,
    TokenResponse,
    SessionResponse,
    DeletionResponse,
    SuppressionResponse,
    SyncResponse,
    AudienceResponse,
    ComputedTraitResponse,
    ProfileResponse,
    ProfileSummaryResponse,
    PointResponse,
  ]) {
    app.addSchema(schema)
  }
  await app.register(swagger, OPTIONS)
  const schema = {
    tags: ['About'],
    operationId: 'getOpenapi',
    summary: 'Shows this document',
    security: [],
    response: { 200: { description: 'OpenAPI 3.1.', ...Schema.anyObject } },
  }
  // Made once, and as bytes, which the connections share.
  let document: Buffer | undefined
  app.get('/openapi.json', { schema }, async (_request, reply) => {
    document ??= Buffer.from(
      JSON.stringify(withExamples(app.swagger() as unknown as OpenapiDocument)),
    )
    return reply.type('application/json; charset=utf-8').send(document)
  })
}

import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import Type from 'typebox'
import type { AdminApp } from '../api/admin-app.ts'
import * as Schema from '../api/schema.ts'
import { EXAMPLE_BODIES } from './examples.ts'

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
        description: 'Your Hookline service.',
        variables: {
          address: {
            default: 'http://127.0.0.1:4800',
            description: 'The address of the service, with adminPort if it is set.',
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
    schema: withExample(route.method === 'POST' ? withIdempotencyKey(schema) : schema),
  }),
}

/** Adds the example body of the operation. */
function withExample(schema: FastifySchema): FastifySchema {
  const example = EXAMPLE_BODIES[schema.operationId ?? '']
  return example ? { ...schema, body: { ...(schema.body as object), examples: [example] } } : schema
}

/** Adds the header `Idempotency-Key` to every POST, so that no route has to declare it. */
function withIdempotencyKey(schema: FastifySchema): FastifySchema {
  const { properties } = (schema.headers ?? {}) as { properties?: object }
  return { ...schema, headers: Type.Object({ ...properties, 'idempotency-key': IDEMPOTENCY_KEY }) }
}

const IDEMPOTENCY_KEY = Type.Optional(
  Schema.text(
    'Makes it safe to repeat the request: within 24 hours of a successful response, a request with the same key gets the same response and changes nothing. A created record and its response are stored together, so this holds across crashes. Responses with user data are not stored: the second request gets the problem response_not_stored.',
  ),
)

/** Serves, without a token, the OpenAPI 3.1 document of the routes added afterwards. */
export async function serveOpenapi(app: AdminApp): Promise<void> {
  for (const schema of [Schema.ProblemResponse, ...Schema.components]) app.addSchema(schema)
  await app.register(swagger, OPTIONS)
  const schema = {
    tags: ['About'],
    operationId: 'getOpenapi',
    summary: 'Shows this document',
    security: [],
    response: { 200: { description: 'OpenAPI 3.1.', ...Schema.anyObject } },
  }
  let document: Buffer | undefined
  app.get('/openapi.json', { schema }, async (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(app.swagger()))
    return reply.type('application/json; charset=utf-8').send(document)
  })
}

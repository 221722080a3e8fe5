import { ingestError, WEBHOOK_PAYLOAD_SCHEMA } from '@hookline/protocol'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { isHost } from '../http/host-guard.ts'
import type { CallSpan } from '../telemetry/tracing.ts'
import { BodyTurns, DROPPED_BYTES_PER_TURN, dropRest } from '../util/limits/body-turns.ts'
import { CLIENT_TELEMETRY_PATH, type Endpoint, ENDPOINTS, SETTINGS_PATHS } from './endpoints.ts'
import { type IngestDeps, IngestionHandler } from './ingestion-handler.ts'
import { errorResponse, response, sendResponse, SUCCESS } from './responses.ts'

/** Maximum bytes of one refused body that are read and dropped. */
const MAX_DROPPED_BYTES = 16 * 1024 * 1024

/** All routes of the ingestion API. Register them without a prefix. */
export function ingestRoutes(deps: IngestDeps): FastifyPluginAsync {
  return async (server) => {
    const handler = new IngestionHandler(deps)
    const dropping = new BodyTurns(deps.clock, DROPPED_BYTES_PER_TURN)
    server.removeAllContentTypeParsers()
    // The handler reads the body itself: it authenticates first, and has its own limits.
    server.addContentTypeParser('*', (_request, _payload, done) => done(null))
    server.addHook('onRequest', allowAnyOrigin)
    server.addHook('onRequest', ignoreContentType)
    for (const endpoint of ENDPOINTS) {
      server.post(endpoint.path, handleCalls(endpoint, handler, dropping, deps))
    }
    server.post(CLIENT_TELEMETRY_PATH, respondSuccess)
    const paths = ENDPOINTS.map(({ path }) => path)
    for (const path of [...paths, CLIENT_TELEMETRY_PATH, ...SETTINGS_PATHS]) {
      server.options(path, respondSuccess)
    }
    await server.register(projectSettings(deps.catalog, (key) => handler.logUnknownKey(key)))
  }
}

/** @param dropping drops the rest of refused bodies */
function handleCalls(
  endpoint: Endpoint,
  handler: IngestionHandler,
  dropping: BodyTurns,
  { metrics, tracing, clock }: Pick<IngestDeps, 'metrics' | 'tracing' | 'clock'>,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const stopTimer = metrics.ingestDuration.startTimer()
    const { path, route } = endpoint
    const { raw, protocol: scheme } = request
    const startedAt = clock.wall()
    let span: CallSpan | undefined
    const beginTrace = (): string | undefined => {
      span ??= tracing?.beginCall({ path, route, scheme, headers: raw.headers, startedAt })
      return span?.traceContext
    }
    let code = 500
    try {
      const handled = await handler.handle(request, endpoint, beginTrace)
      code = handled.status
      if (!request.raw.complete) dropRest(request.raw, dropping, MAX_DROPPED_BYTES)
      sendResponse(reply, handled)
    } finally {
      stopTimer()
      span?.end(code)
      metrics.ingestRequests.inc({ route, code })
    }
  }
}

/** Clients send JSON as text/plain, form data and other types, some of which the framework would refuse. */
function ignoreContentType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.headers['content-type'] = undefined
  done()
}

function respondSuccess(_request: FastifyRequest, reply: FastifyReply): void {
  sendResponse(reply, SUCCESS)
}

/** Lets browsers on any site send calls: the write key is public, and responses contain nothing private. */
function allowAnyOrigin(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
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

/** A plan that blocks no event. The browser library reads it before sending. */
const OPEN_PLAN = { track: { __default: { enabled: true, integrations: {} } } }

/** The request headers that the response depends on. */
const VARY = 'Origin, Host, X-Forwarded-Host, X-Forwarded-Proto'

/** Settings that client libraries request. `Segment.io` is the ingestion API; other integrations would load third-party code. */
function projectSettings(
  catalog: IngestDeps['catalog'],
  onUnknownKey: (writeKey: string) => void,
): FastifyPluginAsync {
  return async (server) => {
    for (const path of SETTINGS_PATHS) {
      server.get<{ Params: { writeKey: string } }>(path, (request, reply) => {
        // A shared cache would serve the host named by one client to all others.
        void reply.headers({ 'cache-control': 'no-store', vary: VARY })
        const { writeKey } = request.params
        if (!isHost(request.host)) {
          sendResponse(reply, errorResponse('wrong_host'))
          return
        }
        if (!catalog.current.sourceByWriteKey.has(writeKey)) {
          onUnknownKey(writeKey)
          sendResponse(reply, response(404, ingestError('unknown_write_key')))
          return
        }
        const target = {
          apiKey: writeKey,
          apiHost: `${request.host}/v1`,
          protocol: request.protocol === 'https' ? 'https' : 'http',
        }
        const integrations = { 'Segment.io': target }
        sendResponse(reply, response(200, { integrations, plan: OPEN_PLAN }))
      })
    }
  }
}

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

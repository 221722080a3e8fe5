import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { BodyTurns } from '../util/limits/body-turns.ts'
import { dropRest } from '../util/limits/drop-rest.ts'
import { allowAnyOrigin } from './cors.ts'
import { CLIENT_TELEMETRY_PATH, type Endpoint, ENDPOINTS, SETTINGS_PATHS } from './endpoints.ts'
import { type IngestDeps, IngestionHandler } from './ingestion-handler.ts'
import { projectSettings } from './project-settings.ts'
import { sendResponse, SUCCESS } from './responses.ts'

/** The most bytes of refused bodies that are read and dropped in one turn of the event loop. */
const DROPPED_BYTES_A_TURN = 4 * 1024 * 1024
/** The most bytes of one refused body that are read and dropped. */
const MAX_DROPPED_BYTES = 16 * 1024 * 1024

/** All routes of the ingestion API (spec 01, §Routes). Register them without a prefix. */
export function ingestRoutes(deps: IngestDeps): FastifyPluginAsync {
  return async (server) => {
    const handler = new IngestionHandler(deps)
    const dropping = new BodyTurns(deps.clock, DROPPED_BYTES_A_TURN)
    server.removeAllContentTypeParsers()
    // The handler reads the body itself: it authenticates first, and has its own limits.
    server.addContentTypeParser('*', (_request, _payload, done) => done(null))
    server.addHook('onRequest', allowAnyOrigin)
    server.addHook('onRequest', ignoreContentType)
    for (const endpoint of ENDPOINTS) {
      server.post(
        endpoint.path,
        handleCalls({ handler, dropping, endpoint, metrics: deps.metrics }),
      )
    }
    server.post(CLIENT_TELEMETRY_PATH, respondSuccess)
    const paths = ENDPOINTS.map(({ path }) => path)
    for (const path of [...paths, CLIENT_TELEMETRY_PATH, ...SETTINGS_PATHS]) {
      server.options(path, respondSuccess)
    }
    const onUnknownKey = (key: string): void => handler.refuseKey(key)
    await server.register(projectSettings({ catalog: deps.catalog, onUnknownKey }))
  }
}

interface CallRoute extends Pick<IngestDeps, 'metrics'> {
  readonly handler: IngestionHandler
  /** In which rests of refused bodies are dropped. */
  readonly dropping: BodyTurns
  readonly endpoint: Endpoint
}

function handleCalls({ handler, dropping, endpoint, metrics }: CallRoute) {
  const { route } = endpoint
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const stopTimer = metrics.ingestDuration.startTimer()
    let code = 500
    try {
      const response = await handler.handle(request, endpoint)
      code = response.status
      if (!request.raw.complete) dropRest(request.raw, dropping, MAX_DROPPED_BYTES)
      sendResponse(reply, response)
    } finally {
      stopTimer()
      metrics.ingestRequests.inc({ route, code })
    }
  }
}

/** Clients send JSON as text/plain, form data and other types. The framework would refuse some of them. */
function ignoreContentType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.headers['content-type'] = undefined
  done()
}

function respondSuccess(_request: FastifyRequest, reply: FastifyReply): void {
  sendResponse(reply, SUCCESS)
}

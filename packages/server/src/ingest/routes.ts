import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { sendAnswer, SUCCESS } from './answer.ts'
import { allowAnyOrigin } from './cors.ts'
import { CLIENT_TELEMETRY_PATH, type Endpoint, ENDPOINTS } from './endpoints.ts'
import { type IngestDeps, Intake } from './intake.ts'
import { projectSettings, SETTINGS_PATHS } from './project-settings.ts'

/** Every route of the ingestion API (spec §Routes). Register it without a prefix. */
export function ingestRoutes(deps: IngestDeps): FastifyPluginAsync {
  return async (server) => {
    const intake = new Intake(deps)
    server.removeAllContentTypeParsers()
    // The intake reads the body itself: it knows the sender first, and stops at its own limits.
    server.addContentTypeParser('*', (_request, _payload, done) => done(null))
    server.addHook('onRequest', allowAnyOrigin)
    server.addHook('onRequest', forgetContentType)
    for (const endpoint of ENDPOINTS) {
      server.post(endpoint.path, takeCalls(intake, endpoint, deps))
    }
    server.post(CLIENT_TELEMETRY_PATH, answerSuccess)
    const paths = ENDPOINTS.map(({ path }) => path)
    for (const path of [...paths, CLIENT_TELEMETRY_PATH, ...SETTINGS_PATHS]) {
      server.options(path, answerSuccess)
    }
    await server.register(projectSettings(deps.catalog))
  }
}

function takeCalls(intake: Intake, endpoint: Endpoint, { metrics }: IngestDeps) {
  const { route } = endpoint
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const stopTimer = metrics.ingestDuration.startTimer()
    let code = 500
    try {
      const answer = await intake.take(request, endpoint)
      code = answer.status
      sendAnswer(reply, answer)
    } finally {
      stopTimer()
      metrics.ingestRequests.inc({ route, code })
    }
  }
}

/** Clients say text/plain, form data and worse of what is JSON; the framework would refuse some of it. */
function forgetContentType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.headers['content-type'] = undefined
  done()
}

function answerSuccess(_request: FastifyRequest, reply: FastifyReply): void {
  sendAnswer(reply, SUCCESS)
}

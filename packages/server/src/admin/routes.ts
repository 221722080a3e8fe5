import type { FastifyPluginAsync } from 'fastify'
import type { AdminApp } from './admin-app.ts'
import type { AdminDeps } from './admin-deps.ts'
import { addAuditRoutes } from './audit.ts'
import { answerProblems } from './answer-problems.ts'
import { authenticate } from './authenticate.ts'
import { authorize, limitRate } from './authorize.ts'
import { addBackupRoutes } from './backup.ts'
import { addDeletionRoutes } from './deletions.ts'
import { addDeliveryRoutes } from './deliveries.ts'
import { addDeliveryRetryRoute } from './delivery-retry.ts'
import { addDestinationPauseRoutes } from './destination-pauses.ts'
import { addDestinationRoutes } from './destinations.ts'
import { addDestinationTestRoute } from './destination-test.ts'
import { addEventRoutes } from './events.ts'
import { addExportRoutes } from './export.ts'
import { addFailureRoutes } from './failures.ts'
import { addLiveRoutes } from './live.ts'
import { serveOpenapi } from './openapi.ts'
import { recordChanges } from './record-changes.ts'
import { addReplayRoutes } from './replays.ts'
import { repeatAnswers } from './repeat-answers.ts'
import { addSecretRotationRoute } from './secret-rotation.ts'
import { addSourceRoutes } from './sources.ts'
import { addStatisticsRoutes } from './statistics.ts'
import { addSuppressionRoutes } from './suppressions.ts'
import { addTokenRoutes } from './tokens.ts'
import { validate } from './validate.ts'
import { addWriteKeyRoutes } from './write-keys.ts'

const BODY_BYTES = 1024 * 1024

/** The management API, to be registered under its prefix. Every route but the OpenAPI document asks for the token. */
export function adminRoutes(deps: AdminDeps): FastifyPluginAsync {
  return async (plugin) => {
    const app: AdminApp = plugin
    answerProblems(app, deps.logger)
    takeJson(app)
    app.setValidatorCompiler(validate)
    // Answers are made by the present… functions and go out as those made them.
    app.setSerializerCompiler(() => (data) => JSON.stringify(data))
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })
    await serveOpenapi(app)
    await app.register(async (guarded: AdminApp) => {
      guard(guarded, deps)
      addSourceRoutes(guarded, deps)
      addWriteKeyRoutes(guarded, deps)
      addDestinationRoutes(guarded, deps)
      addDestinationPauseRoutes(guarded, deps)
      addDestinationTestRoute(guarded, deps)
      addSecretRotationRoute(guarded, deps)
      addEventRoutes(guarded, deps)
      addFailureRoutes(guarded, deps)
      addDeliveryRoutes(guarded, deps)
      addDeliveryRetryRoute(guarded, deps)
      addReplayRoutes(guarded, deps)
      addDeletionRoutes(guarded, deps)
      addSuppressionRoutes(guarded, deps)
      addTokenRoutes(guarded, deps)
      addAuditRoutes(guarded, deps)
      addStatisticsRoutes(guarded, deps)
      addLiveRoutes(guarded, deps)
      addExportRoutes(guarded, deps)
      addBackupRoutes(guarded, deps)
    })
  }
}

/** What every route added to `app` afterwards does before and after its own work. */
function guard(app: AdminApp, deps: AdminDeps): void {
  app.decorateRequest('actor')
  app.addHook('onRequest', authenticate(deps))
  app.addHook('onRequest', limitRate(deps.clock, deps.rateLimit))
  app.addHook('onRequest', authorize(app.prefix))
  repeatAnswers(app, deps)
  recordChanges(app, app.prefix, deps)
}

/** JSON is the only body taken, whatever the server around takes. An empty one is none. */
function takeJson(app: AdminApp): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'string' as const, bodyLimit: BODY_BYTES }
  app.addContentTypeParser<string>('application/json', options, (request, body, done) => {
    if (body === '') done(null, undefined)
    else void parse(request, body, done)
  })
}

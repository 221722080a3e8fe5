import type { FastifyPluginAsync } from 'fastify'
import type { AdminApp } from './api/admin-app.ts'
import type { AdminDeps } from './api/admin-deps.ts'
import { addAuditRoutes } from './audit/audit-routes.ts'
import { answerProblems } from './problems/answer-problems.ts'
import { authenticate } from './access/authenticate.ts'
import { authorize, limitRate } from './access/authorize.ts'
import { addBackupRoutes } from './backup/backup-route.ts'
import { addDeletionRoutes } from './deletions/deletion-routes.ts'
import { addDeliveryRoutes } from './deliveries/delivery-routes.ts'
import { addDeliveryRetryRoute } from './deliveries/retry-route.ts'
import { addDestinationPauseRoutes } from './destinations/pause-routes.ts'
import { addDestinationRoutes } from './destinations/destination-routes.ts'
import { addDestinationTestRoute } from './destinations/test-route.ts'
import { addEventRoutes } from './events/event-routes.ts'
import { addExportRoutes } from './configuration/configuration-routes.ts'
import { addFailureRoutes } from './deliveries/failure-routes.ts'
import { addLiveRoutes } from './live/live-route.ts'
import { serveOpenapi } from './reference/openapi.ts'
import { recordChanges } from './audit/record-changes.ts'
import { addReplayRoutes } from './replays/replay-routes.ts'
import { repeatAnswers } from './idempotency/repeat-answers.ts'
import { addSecretRotationRoute } from './destinations/secret-rotation-route.ts'
import { addSourceRoutes } from './sources/source-routes.ts'
import { addStatisticsRoutes } from './statistics/statistics-routes.ts'
import { addSuppressionRoutes } from './deletions/suppression-routes.ts'
import { addTokenRoutes } from './tokens/token-routes.ts'
import { validate } from './problems/validate.ts'
import { addWriteKeyRoutes } from './sources/write-key-routes.ts'

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

import type { FastifyPluginAsync } from 'fastify'
import type { AdminApp } from './api/admin-app.ts'
import type { AdminDeps } from './api/admin-deps.ts'
import { AUDIENCES } from './audiences/audience-kind.ts'
import { addMemberRoutes } from './audiences/member-routes.ts'
import { announceChanges } from './audit/announce-changes.ts'
import { addAuditRoute } from './audit/audit-route.ts'
import { addComputationRoutes } from './computations/computation-routes.ts'
import { Turns } from './computations/turns.ts'
import { addWorkRoutes } from './computations/work-routes.ts'
import { handleErrors } from './problems/error-handler.ts'
import { authenticate, type Authentication } from './access/authenticate.ts'
import { authorize } from './access/authorize.ts'
import { LongReads } from './access/long-reads.ts'
import { RequestLimit } from './access/request-limit.ts'
import { WrongTokens } from './access/wrong-tokens.ts'
import { addBackupRoute } from './backup/backup-route.ts'
import { addDeletionRoutes } from './deletions/deletion-routes.ts'
import { addDeliveryRoutes } from './deliveries/delivery-routes.ts'
import { addRequestRoute } from './deliveries/request-route.ts'
import { addRetryRoute } from './deliveries/retry-route.ts'
import { addCloseBreakerRoute, addPauseRoutes } from './destinations/pause-routes.ts'
import { addDestinationRoutes } from './destinations/destination-routes.ts'
import { addTestDeliveryRoute } from './destinations/test-delivery-route.ts'
import { addEventRoutes } from './events/event-routes.ts'
import { addWhyMissingRoute } from './events/why-missing-route.ts'
import { addConfigurationRoutes } from './configuration/configuration-routes.ts'
import { addFailureRoute } from './deliveries/failure-route.ts'
import { addInspectorRoutes } from './inspector/inspector-routes.ts'
import { addLiveRoute } from './live/live-route.ts'
import { addProfileRoute } from './profiles/profile-route.ts'
import { serveOpenapi } from './reference/openapi.ts'
import { addReplayRoutes } from './replays/replay-routes.ts'
import { repeatResponses } from './idempotency/repeat-responses.ts'
import { addSecretRotationRoute } from './destinations/secret-rotation-route.ts'
import { addSessionRoutes, addSignInRoute } from './sessions/session-routes.ts'
import { OpenSessions } from './sessions/open-sessions.ts'
import { SignInCodes } from './sessions/sign-in-codes.ts'
import { addSourceRoutes } from './sources/source-routes.ts'
import { addStatisticsRoute } from './statistics/statistics-route.ts'
import { addSuppressionRoutes } from './deletions/suppression-routes.ts'
import { addSystemRoute } from './system/system-route.ts'
import { addTokenRoutes } from './tokens/token-routes.ts'
import { Openers } from './tokens/openers.ts'
import { TRAITS } from './traits/trait-kind.ts'
import { addValueRoute } from './traits/value-route.ts'
import { acceptJsonOnly } from './api/json-bodies.ts'
import { refuseAmbiguousUrls } from './problems/ambiguous-urls.ts'
import { refuseUndeclared } from './problems/refuse-undeclared.ts'
import { validate } from './problems/validate.ts'
import { addWriteKeyRoutes } from './sources/write-key-routes.ts'

/** The management API as a plugin, to be registered under its prefix. Every route except the OpenAPI document and
 * the sign-in needs a token or a session. */
export function adminRoutes(deps: AdminDeps): FastifyPluginAsync {
  return async (plugin) => {
    const app: AdminApp = plugin
    handleErrors(app, deps)
    acceptJsonOnly(app)
    app.setValidatorCompiler(validate)
    refuseAmbiguousUrls(app)
    refuseUndeclared(app)
    // The present… functions build the response bodies, so the schemas need not filter them.
    app.setSerializerCompiler(() => (data) => JSON.stringify(data))
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })
    await serveOpenapi(app)
    app.decorateRequest('actor')
    announceChanges(app, deps.live.changes)
    const wrongTokens = new WrongTokens({ ...deps, perMinute: deps.wrongTokensPerMinute })
    const limit = new RequestLimit(deps.clock, deps.rateLimit)
    const access = { ...deps, wrongTokens, limit, openers: new Openers(deps) }
    const sessions = new OpenSessions(access)
    const signIn = { access, limit, codes: new SignInCodes(), sessions }
    addSignInRoute(app, signIn)
    await app.register(async (guarded: AdminApp) => {
      addHooks(guarded, access)
      addSessionRoutes(guarded, signIn)
      addSourceRoutes(guarded, deps)
      addWriteKeyRoutes(guarded, deps)
      addDestinationRoutes(guarded, deps)
      addPauseRoutes(guarded, deps)
      addCloseBreakerRoute(guarded, deps)
      addTestDeliveryRoute(guarded, deps)
      addSecretRotationRoute(guarded, deps)
      addEventRoutes(guarded, deps)
      addWhyMissingRoute(guarded, deps)
      addFailureRoute(guarded, deps)
      addDeliveryRoutes(guarded, deps)
      addRequestRoute(guarded, deps)
      addRetryRoute(guarded, deps)
      addReplayRoutes(guarded, deps)
      addDeletionRoutes(guarded, deps)
      addSuppressionRoutes(guarded, deps)
      addTokenRoutes(guarded, deps)
      addAuditRoute(guarded, deps)
      addStatisticsRoute(guarded, deps)
      addLiveRoute(guarded, access)
      addInspectorRoutes(guarded, deps)
      // An import changes audiences too.
      const turns = new Turns()
      addComputationRoutes(guarded, deps, AUDIENCES, turns)
      addWorkRoutes(guarded, deps, AUDIENCES)
      addMemberRoutes(guarded, deps)
      addComputationRoutes(guarded, deps, TRAITS, turns)
      addWorkRoutes(guarded, deps, TRAITS)
      addValueRoute(guarded, deps)
      addProfileRoute(guarded, deps)
      addConfigurationRoutes(guarded, deps, turns)
      addBackupRoute(guarded, deps)
      addSystemRoute(guarded, deps)
    })
  }
}

/** Adds the hooks of every route that is added to `app` afterwards. */
function addHooks(
  app: AdminApp,
  deps: AdminDeps & Authentication & { readonly limit: RequestLimit },
): void {
  app.addHook('onRequest', authenticate(deps))
  app.addHook('onRequest', deps.limit.hook())
  app.addHook('onRequest', authorize(app.prefix))
  const longReads = new LongReads(deps)
  app.addHook('preHandler', longReads.take(app.prefix))
  app.addHook('onSend', longReads.end())
  repeatResponses(app, deps)
}

import type { FastifyPluginAsync } from 'fastify'
import type { LiveTopics } from '../activity/live-topics.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { authenticate, type Authentication, AuthFailureLimit } from './access/authenticate.ts'
import { RequestLimit, takeTurns } from './access/request-limits.ts'
import { authorize, type RouteRoles } from './access/roles.ts'
import { SessionTokens } from './access/tokens.ts'
import type { AdminApp } from './api/admin-app.ts'
import { acceptJsonOnly, refuseAmbiguousUrls, refuseUndeclared, validate } from './api/validate.ts'
import { addAlertRoutes } from './alerts.ts'
import { addAudienceRoutes } from './audiences.ts'
import { addAuditRoute, announceChanges } from './audit.ts'
import { addBackupRoute } from './backup.ts'
import { SerialQueue } from './computations/computation.ts'
import { addConfigurationRoutes } from './configuration/configuration-routes.ts'
import { addProblemsRoute } from './current-problems.ts'
import { addDeletionRoutes } from './deletions.ts'
import { addDeliveryRoutes } from './deliveries/deliveries.ts'
import { addDestinationActions } from './destinations/destination-actions.ts'
import { addFilterPreview } from './destinations/filter-preview.ts'
import { addDestinationRoutes } from './destinations/destinations.ts'
import { addEventNamesRoute } from './events/event-names.ts'
import { addEventRoutes } from './events/events.ts'
import { addWhyMissingRoute } from './events/why-missing.ts'
import { type IdempotencyDeps, repeatResponses } from './idempotency.ts'
import { addInspectorRoutes } from './inspector.ts'
import { addLiveRoute } from './live.ts'
import { handleErrors } from './problems/error-handler.ts'
import { addProfileRoutes } from './profiles.ts'
import { serveOpenapi } from './reference/openapi.ts'
import { addReplayRoutes } from './replays.ts'
import { OpenSessions, type OpenSessionsOptions, SignInCodes } from './sessions/open-sessions.ts'
import { addSessionRoutes, addSignInRoute } from './sessions/sessions.ts'
import { addSourceRoutes } from './sources.ts'
import { addStatisticsRoute } from './statistics.ts'
import { addSuppressionRoutes } from './suppressions.ts'
import { addSystemRoute } from './system.ts'
import { addTokenRoutes } from './tokens.ts'
import { addTraitRoutes } from './traits.ts'

/** In the order of the OpenAPI document. */
const RESOURCES = [
  addSourceRoutes,
  addDestinationRoutes,
  addDestinationActions,
  addFilterPreview,
  addEventRoutes,
  addWhyMissingRoute,
  addEventNamesRoute,
  addDeliveryRoutes,
  addReplayRoutes,
  addDeletionRoutes,
  addSuppressionRoutes,
  addTokenRoutes,
  addAuditRoute,
  addStatisticsRoute,
  addLiveRoute,
  addInspectorRoutes,
  addAudienceRoutes,
  addTraitRoutes,
  addProfileRoutes,
  addConfigurationRoutes,
  addBackupRoute,
  addSystemRoute,
  addProblemsRoute,
  addAlertRoutes,
] as const

/** The dependencies of all resources: the intersection of their second parameters. */
type ResourceDeps = (typeof RESOURCES)[number] extends (app: never, deps: infer All) => void
  ? All
  : never

export type AdminDeps = IdempotencyDeps &
  Omit<
    Authentication & OpenSessionsOptions & ResourceDeps,
    'sessionTokens' | 'authFailureLimit' | 'queue'
  > & {
    /** Collects the role that each route requires. */
    readonly roles: RouteRoles
    /** The maximum number of requests per second for each token and each session; `null` for no limit. */
    readonly rateLimit: number | null
    /** The maximum number of invalid tokens per minute for each client; further ones get 429. `null` for no limit. */
    readonly maxAuthFailuresPerMinute: number | null
    readonly metrics: Pick<Metrics, 'authFailures'>
    readonly live: LiveTopics
  }

/** The management API. Every route except the OpenAPI document and the sign-in needs a token, a session or local access. */
export function adminRoutes(deps: AdminDeps): FastifyPluginAsync {
  return async (plugin) => {
    const app: AdminApp = plugin
    handleErrors(app, deps)
    acceptJsonOnly(app)
    app.setValidatorCompiler(validate)
    refuseAmbiguousUrls(app)
    refuseUndeclared(app)
    // The present… functions build the bodies, so the schemas need not filter them.
    app.setSerializerCompiler(() => (data) => JSON.stringify(data))
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })
    await serveOpenapi(app)
    app.decorateRequest('actor')
    announceChanges(app, deps.live.changes)
    const authFailureLimit = new AuthFailureLimit({
      ...deps,
      perMinute: deps.maxAuthFailuresPerMinute,
    })
    const limit = new RequestLimit(deps.clock, deps.rateLimit)
    const [sessionTokens, queue] = [new SessionTokens(deps), new SerialQueue()]
    const all = { ...deps, authFailureLimit, limit, sessionTokens, queue }
    const signIn = { access: all, limit, codes: new SignInCodes(), sessions: new OpenSessions(all) }
    addSignInRoute(app, signIn)
    await app.register(async (guarded: AdminApp) => {
      deps.roles.collect(guarded)
      addHooks(guarded, all)
      addSessionRoutes(guarded, signIn)
      for (const add of RESOURCES) add(guarded, all)
    })
  }
}

/** Adds the hooks of all guarded routes. */
function addHooks(
  app: AdminApp,
  deps: Authentication & IdempotencyDeps & { readonly limit: RequestLimit },
): void {
  app.addHook('onRequest', authenticate(deps))
  app.addHook('onRequest', ({ actor }, _reply, done) => done(deps.limit.refusal(actor)))
  app.addHook('onRequest', authorize)
  takeTurns(app, deps)
  repeatResponses(app, deps)
}

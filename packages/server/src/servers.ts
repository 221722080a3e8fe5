import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Logger } from './telemetry/logger.ts'
import type { ActivityMonitor } from './activity/activity-monitor.ts'
import { RouteRoles } from './admin/access/roles.ts'
import type { DatabaseCopy } from './admin/backup.ts'
import { referenceRoute } from './admin/reference/reference-page.ts'
import { publicKeysRoute } from './admin/destinations/public-keys.ts'
import { type AdminDeps, adminRoutes } from './admin/routes.ts'
import { serviceLimits } from './admin/destinations/webhook-limits.ts'
import type { Backend } from './backend/backend.ts'
import type { Config } from './config.ts'
import { errorFormat } from './error-format.ts'
import { ReceiptSigner } from './deletions/deletions.ts'
import {
  acceptForwarded,
  listenForForwarded,
  newPrivateAddress,
  type PrivateAddress,
} from './http/forwarding.ts'
import { NONCRITICAL_WORKERS } from './engine/supervision.ts'
import { hostGuard } from './http/host-guard.ts'
import { healthRoutes, metricsRoute, type ReadinessCheck, readinessOf } from './http/monitoring.ts'
import { listen } from './http/listen.ts'
import { createHttpServer } from './http/server.ts'
import { sendError, wrongNodeRoute } from './http/responses.ts'
import { startPageRoute } from './http/start-page.ts'
import { ingestionUrl, isForIngestion } from './ingest/endpoints.ts'
import { ingestRoutes, payloadSchemaRoute } from './ingest/routes.ts'
import { IngestThreads, SharedLimits } from './ingest/threads/ingest-threads.ts'
import { consoleRoutes, docsRoutes } from './sites/sites.ts'
import type { SharedInspector } from './inspector/shared-inspector.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { Tracing } from './telemetry/tracing.ts'
import type { Clock } from './util/time/clock.ts'
import type { ClockWatch } from './util/workers/clock-watch.ts'
import { type FileShares, sharesWithThreads } from './util/limits/open-files.ts'
import type { FailedWorker } from './util/workers/supervisor.ts'
import type { Redacted } from './util/secrets/redacted.ts'
import { type SettingTexts, presentedSettings } from './presented-settings.ts'
import { VERSION } from './version.ts'

/** The parts of the service by role. Every node serves health checks and metrics. */
export const ROLES = {
  all: { ingests: true, delivers: true, administers: true },
  ingest: { ingests: true, delivers: false, administers: false },
  deliver: { ingests: false, delivers: true, administers: false },
  api: { ingests: false, delivers: false, administers: true },
} as const

/** The URL of the console for links; only a path if its host is not known. */
export function consoleUrlOf(config: Config): string {
  const { consoleUrl, adminPort, role } = config
  const host = adminPort === undefined ? config.host : config.adminHost
  const port = adminPort ?? config.port
  const isKnown = /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host) && port !== 0
  const path = '/console'
  if (consoleUrl !== undefined) return consoleUrl
  if (!isKnown || !ROLES[role].administers) return path
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`
}

/** The parts of the background workers that the servers need. */
export interface Workers extends Pick<
  AdminDeps,
  | 'wake'
  | 'lanes'
  | 'testDeliveries'
  | 'nextRequests'
  | 'hostProblem'
  | 'computations'
  | 'backups'
  | 'facts'
> {
  readonly checks: readonly ReadinessCheck[]
  /** The last error of each failing worker, by worker name. */
  readonly failingWorkers: () => Promise<ReadonlyMap<string, string>>
  readonly unrecorded: () => number
}

export interface ServersOptions extends Workers {
  readonly config: Config
  readonly settings?: SettingTexts | undefined
  readonly backendName: string
  readonly logger: Logger
  readonly backend: Backend
  readonly clock: Clock
  readonly clockWatch: ClockWatch
  readonly fileShares: FileShares
  readonly metrics: Metrics
  readonly tracing: Tracing | undefined
  readonly activity: ActivityMonitor
  readonly inspector: SharedInspector
  readonly adminToken: Redacted
  readonly allowsLocalAccess?: boolean | undefined
  /** The number of ingestion threads; 0 if this thread accepts the calls. */
  readonly threads: { readonly ingest: number }
  readonly onPermanentFailure: (failure: FailedWorker) => void
  /** The time limit for a thread during shutdown. */
  readonly stopTimeoutMs: number
  /** When this signal aborts, closing no longer waits for requests. */
  readonly overdue: AbortSignal
}

/** The open listeners. Disposing of them waits for the requests in flight, until `overdue` aborts. */
interface Servers extends AsyncDisposable {
  readonly url: string
  readonly adminUrl: string
}

/**
 * Opens the listener of the service. With `adminPort`, a second one serves everything except ingestion. Both serve a start page and
 * public keys.
 */
export async function openServers(options: ServersOptions): Promise<Servers> {
  await using stack = new AsyncDisposableStack()
  const { config } = options
  // A process that was killed during a backup leaves its copy of the database behind.
  await rm(copyFolderOf(config), { recursive: true, force: true })
  const { connections, adminConnections } = options.fileShares
  const callConnections = connections - (config.adminPort === undefined ? 0 : adminConnections)
  const ingestion = await openIngestion(stack, options, callConnections)
  const shared = { ...options, failingWorkers: () => failingOf(options, ingestion) }
  const maxConnections = ingestion
    ? sharesWithThreads(callConnections).mainConnections
    : callConnections
  const own = { errorFormat, maxConnections, routedUrl: ingestionUrl }
  const server = createHttpServer({ ...shared, ...own })
  const { ingests, administers } = ROLES[config.role]
  const servesAll = config.adminPort === undefined
  if (ingests) addIngestion(server, shared, ingestion?.limits)
  else server.register(wrongNodeRoute(CALLS, errorFormat))
  server.register(startPageRoute({ hasConsole: servesAll && administers }))
  addPublicKeys(server, options)
  if (servesAll) addAdministration(server, shared, { maxConnections, callsPort: null })
  const url = ingestion
    ? await openThreadListeners(stack, server, ingestion, config)
    : await openListener(stack, server, config)
  const adminUrl = servesAll ? url : await openAdminServer(stack, shared, url)
  const open = stack.move()
  return { url, adminUrl, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** The threads that accept calls, and the limits that they share with this one. */
interface Ingestion {
  readonly threads: IngestThreads
  readonly limits: SharedLimits
  /** The address at which this thread serves all other requests. */
  readonly main: PrivateAddress
}

/** Starts the ingestion threads. They do not listen yet. */
async function openIngestion(
  stack: AsyncDisposableStack,
  options: ServersOptions,
  connections: number,
): Promise<Ingestion | undefined> {
  const { config, backend, clock, threads: counts, overdue } = options
  const count = counts.ingest
  if (count === 0) return undefined
  const main = stack.use(await newPrivateAddress(config.dataDir))
  const { maxBufferedBodyBytes } = config
  const { catalog } = backend
  const limits = new SharedLimits({ catalog, threads: count, maxBufferedBodyBytes, clock })
  const module = new URL('./ingestion-thread', import.meta.url)
  const maxConnections = sharesWithThreads(connections).threadConnections
  const own = { module, threads: count, maxConnections, main, limits }
  const threads = stack.use(new IngestThreads({ ...options, ...own }))
  overdue.addEventListener('abort', () => threads.abort())
  return { threads, limits, main }
}

/** The last error of each failing worker or thread, by name. */
async function failingOf(
  { failingWorkers }: Workers,
  ingestion: Ingestion | undefined,
): Promise<ReadonlyMap<string, string>> {
  return new Map([...(await failingWorkers()), ...(ingestion?.threads.failing ?? [])])
}

async function openAdminServer(
  stack: AsyncDisposableStack,
  options: ServersOptions,
  callsUrl: string,
): Promise<string> {
  const { adminHost: host, adminPort: port = 0 } = options.config
  const maxConnections = options.fileShares.adminConnections
  const server = createHttpServer({ ...options, errorFormat, maxConnections })
  server.register(startPageRoute({ hasConsole: ROLES[options.config.role].administers }))
  addPublicKeys(server, options)
  const callsPort = Number(new URL(callsUrl).port)
  addAdministration(server, options, { maxConnections, callsPort })
  return openListener(stack, server, { ...options.config, host, port })
}

function addPublicKeys(server: FastifyInstance, { backend, clock }: ServersOptions): void {
  const { catalog } = backend
  const sendNotFound = (reply: FastifyReply): void => sendError(reply, 'not_found', errorFormat)
  server.register(publicKeysRoute({ catalog, clock, sendNotFound }))
}

const CALLS = ['/v1/*', '/projects/*', '/api/s/*', '/beacon/v1/*']
const ADMINISTRATION = ['/api', '/api/*', '/console', '/console/*', '/docs', '/docs/*']

function addIngestion(
  server: FastifyInstance,
  options: ServersOptions,
  limits?: SharedLimits,
): void {
  const { log, catalog, suppressions, keyUses } = options.backend
  server.register(ingestRoutes({ ...options, log, catalog, suppressions, keyUses, limits }))
  server.register(payloadSchemaRoute)
}

interface Listener {
  readonly maxConnections: number
  /** The port of the listener for calls; `null` if this listener accepts them. */
  readonly callsPort: number | null
}

/** Registers everything except ingestion that the role serves. */
function addAdministration(
  server: FastifyInstance,
  options: ServersOptions,
  listener: Listener,
): void {
  const { config, backend, clock, metrics } = options
  const database = { name: 'database', check: () => backend.probe() }
  const checks = [database, workersCheck(options), ...options.checks]
  const { ingests, administers } = ROLES[config.role]
  if (administers) addManagement(server, options, { ...listener, checks })
  else server.register(wrongNodeRoute(ADMINISTRATION, errorFormat))
  // If calls have their own listener or node, this one also serves the schema that pages link to.
  if (administers && (!ingests || listener.callsPort !== null)) server.register(payloadSchemaRoute)
  const guard = [hostGuard(config.allowedHosts)]
  server.register(metricsRoute(metrics, guard))
  server.register(healthRoutes(checks, clock, guard))
}

function addManagement(
  server: FastifyInstance,
  options: ServersOptions,
  listener: Listener & { readonly checks: readonly ReadinessCheck[] },
): void {
  const { config, backend, activity } = options
  const roles = new RouteRoles()
  server.register(
    adminRoutes({
      ...backend,
      ...options,
      recentAttempts: activity.recent,
      live: activity.live,
      statistics: activity.statistics,
      receipts: new ReceiptSigner(backend.ownKeys),
      roles,
      system: { ...systemOf(options, listener.checks), callsPort: listener.callsPort },
      copyDatabase: () => copyInto(copyFolderOf(config), backend),
      allowsLocalAccess: options.allowsLocalAccess ?? false,
      backupTimeoutMs: config.backupTimeoutMs,
      retentionMs: config.retentionMs,
      serviceLimits: serviceLimits(config),
      traceUrl: config.traceUrl,
      consoleUrl: consoleUrlOf(config),
      sessionLifetimeMs: config.sessionLifetimeMs,
      rateLimit: config.adminRateLimit || null,
      maxAuthFailuresPerMinute: config.maxAuthFailuresPerMinute || null,
      // Live streams occupy connections: half of them are left for other requests.
      maxLiveStreams: Math.min(config.maxLiveStreams, Math.floor(listener.maxConnections / 2)),
      allowedPorts: config.allowedPorts,
    }),
    { prefix: '/api/v1' },
  )
  server.register(referenceRoute('/api/docs', '/api/v1/openapi.json', roles))
  server.register(docsRoutes(), { prefix: '/docs' })
  server.register(consoleRoutes(), { prefix: '/console' })
}

/**
 * The readiness check of the workers. A failing non-critical worker only adds a note, because the node can ingest and deliver
 * without it.
 */
function workersCheck({ failingWorkers }: Workers): ReadinessCheck {
  let note: string | undefined
  const textOf = (failing: readonly (readonly [name: string, reason: string])[]): string =>
    `Failed: ${failing.map(([name, reason]) => `${name} (${reason})`).join(', ')}. See the log for details.`
  return {
    name: 'workers',
    check: async () => {
      const { noncritical = [], critical = [] } = Object.groupBy(
        await failingWorkers(),
        ([name]) => (NONCRITICAL_WORKERS.has(name) ? 'noncritical' : 'critical'),
      )
      note = noncritical.length === 0 ? undefined : textOf(noncritical)
      if (critical.length > 0) throw new Error(textOf([...critical, ...noncritical]))
    },
    note: () => note,
  }
}

function systemOf(
  { config, settings, backendName, clock, failingWorkers }: ServersOptions,
  checks: readonly ReadinessCheck[],
): Omit<AdminDeps['system'], 'callsPort'> {
  const { dataDir, retentionMs, retentionMaxBytes } = config
  return {
    version: VERSION,
    backend: backendName,
    startedAt: clock.now(),
    dataDir: resolve(dataDir),
    retentionMs,
    retentionMaxBytes,
    settings: presentedSettings(config, settings),
    readiness: () => readinessOf(checks, clock),
    failingWorkers,
  }
}

function copyFolderOf({ dataDir }: Config): string {
  return join(dataDir, 'copy-for-backup')
}

async function copyInto(folder: string, backend: Backend): Promise<DatabaseCopy> {
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  await remove()
  await mkdir(folder, { mode: 0o700 })
  const file = join(folder, 'hookline.db')
  await backend.copyTo(file)
  return { file, [Symbol.asyncDispose]: remove }
}

type Address = Pick<Config, 'host' | 'port' | 'maxWaitingConnections'>

function openListener(
  stack: AsyncDisposableStack,
  server: FastifyInstance,
  { host, port, maxWaitingConnections: backlog }: Address,
): Promise<string> {
  stack.defer(() => server.close())
  return listen(server, { host, port, backlog })
}

/** The threads listen on the port, and this one on the private address. */
async function openThreadListeners(
  stack: AsyncDisposableStack,
  server: FastifyInstance,
  { threads, main }: Ingestion,
  { host, port, maxWaitingConnections: backlog }: Address,
): Promise<string> {
  stack.defer(async () => {
    threads.close()
    await server.close()
  })
  acceptForwarded(server, { secret: main.secret, isOwn: isForIngestion })
  await listenForForwarded(server, main)
  return threads.listen({ host, port, backlog })
}

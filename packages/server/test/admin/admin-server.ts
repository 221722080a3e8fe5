import type { LaneState } from '@hookline/protocol'
import { AddressGuard } from '../../src/delivery/network/address-guard.ts'
import { nextRequests } from '../../src/delivery/parts/test-deliveries.ts'
import { Transforms } from '../../src/delivery/transforms/transforms.ts'
import { hostProblem } from '../../src/delivery/network/resolver.ts'
import fastify from 'fastify'
import { pino } from 'pino'
import { RecentAttempts } from '../../src/activity/recent-attempts.ts'
import type { LiveTail } from '../../src/activity/live-tail.ts'
import { LiveTopics } from '../../src/activity/live-topics.ts'
import { Inspector } from '../../src/inspector/inspector.ts'
import { RouteRoles } from '../../src/admin/access/roles.ts'
import { Backups } from '../../src/admin/backup.ts'
import type { WebhookLanes } from '../../src/backend/deliveries.ts'
import type { TestDeliveries } from '../../src/admin/destinations/destination-actions.ts'
import { type AdminDeps, adminRoutes } from '../../src/admin/routes.ts'
import { FactsCollector } from '../../src/alerts/facts-collector.ts'
import { Audiences } from '../../src/audiences/audiences.ts'
import type { Backend } from '../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../src/backend/embedded/open.ts'
import { ReceiptSigner } from '../../src/deletions/deletions.ts'
import { systemClock } from '../../src/util/time/clock.ts'
import { Redacted } from '../../src/util/secrets/redacted.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { clockWatchOf } from '@hookline/testing/clocks/clock-watch-of'
import { NO_ACTIVITY } from '@hookline/testing/engine/no-activity'
import { RunningWorker } from '@hookline/testing/engine/running-worker'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { sharedOf } from '../inspector/shared-of.ts'

const GUARD = new AddressGuard(['127.0.0.0/8'])
/** How the server checks hosts: every name is accepted, unless a test passes another resolver. */
const HOSTS = {
  clock: systemClock,
  guard: GUARD,
  resolver: { lookup: async () => [] },
  isBehindProxy: false,
}

export const TOKEN = 'tok_the-admin-token-of-these-tests'

/** How long this service keeps events. */
export const RETENTION_MS = 7 * 24 * 60 * 60_000

/** A webhook without any delivery. */
export const HEALTHY: Omit<LaneState, 'url'> = {
  breaker: 'closed',
  brokenSince: null,
  openUntil: null,
  retryAfterUntil: null,
  pacePerSecond: null,
  inFlight: 0,
}

/** Lanes that report these states for every destination. */
export function lanesWith(states: readonly LaneState[]): WebhookLanes {
  return {
    states: async (ids) => new Map(ids.map((id) => [id, states])),
    attemptsOf: async () => new Map(),
    command: async () => undefined,
  }
}

/** The lanes of a service without deliveries. */
function healthyLanes({ catalog }: Pick<Backend, 'catalog'>): WebhookLanes {
  return {
    ...lanesWith([]),
    states: async (ids) =>
      new Map(
        ids.map((id) => [
          id,
          (catalog.current.destinations.get(id)?.settings.webhooks ?? []).map(({ url }) => ({
            ...HEALTHY,
            url,
          })),
        ]),
      ),
  }
}

/** Fails each test delivery. */
const NO_TEST_DELIVERIES: TestDeliveries = {
  run: () => Promise.reject(new Error('Pass testDeliveries to AdminServer.open.')),
}

/** A response. `body` has the type that the test expects; `text` is the raw body. */
export interface ApiResponse<T> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: T
}

export interface Call {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; strings and bytes are sent unchanged. */
  readonly body?: unknown
  readonly withoutToken?: boolean
}

/** The management API on its own port, with an embedded backend in its own folder. */
export class AdminServer implements AsyncDisposable {
  readonly backend: Backend
  readonly clock = new ManualClock(NOON)
  /** The role that each route requires. */
  readonly roles = new RouteRoles()
  readonly topics: LiveTopics
  readonly metrics = new Metrics()
  /** Every route, as `GET /api/v1/…`. */
  readonly routes: string[] = []
  /** The number of requests whose headers have arrived. */
  received = 0
  /** The number of requests whose client disconnected before the response. */
  aborted = 0
  /** Every log line written. */
  readonly logged: string[] = []
  // A disconnected client may have reconnected without sending a request. Node does not count such a connection as idle.
  readonly #server = fastify({ forceCloseConnections: true })
  readonly #resources: AsyncDisposableStack
  readonly #overrides: Partial<AdminDeps>
  readonly #dataDir: string
  readonly #audiences: Audiences
  #origin = ''

  private constructor(
    backend: Backend,
    dataDir: string,
    overrides: Partial<AdminDeps>,
    resources: AsyncDisposableStack,
  ) {
    this.#dataDir = dataDir
    this.backend = backend
    this.#overrides = overrides
    this.#resources = resources
    const { clock } = this
    this.topics = new LiveTopics(clock, backend.upkeep, backend.signals)
    const logger = pino({ enabled: false })
    const { metrics } = this
    const clockWatch = clockWatchOf(clock)
    const parts = { backend, clock, clockWatch, metrics, logger }
    const config = { maxAnonymousIds: 100, placeholderIds: [] }
    this.#audiences = new Audiences({ ...parts, config, activity: NO_ACTIVITY })
  }

  /** @param overrides replace dependencies of the API */
  static async open(overrides: Partial<AdminDeps> = {}): Promise<AdminServer> {
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(new TemporaryFolder())
    const options = { dataDir: folder.path, maxWaitingBytes: 1024 * 1024 }
    const backend = stack.use(await openEmbeddedBackend(options))
    const server = new AdminServer(backend, folder.path, overrides, stack.move())
    await server.#listen()
    return server
  }

  async call<T = Record<string, never>>(
    method: string,
    path: string,
    { headers = {}, body, withoutToken = false }: Call = {},
  ): Promise<ApiResponse<T>> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const response = await fetch(`${this.#origin}${path}`, {
      method,
      headers: {
        ...(!withoutToken && { authorization: `Bearer ${TOKEN}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = text !== '' && response.headers.get('content-type')?.includes('json')
    const parsed = (isJson ? JSON.parse(text) : undefined) as T
    return { status: response.status, headers: response.headers, text, body: parsed }
  }

  /** The response to a GET with a streaming body. */
  async stream(
    path: string,
    {
      headers,
      withoutToken = false,
      signal,
    }: Pick<Call, 'withoutToken'> & {
      headers: Readonly<Record<string, string>>
      signal: AbortSignal
    },
  ): Promise<Response> {
    const response = await fetch(`${this.#origin}${path}`, {
      headers: { ...(!withoutToken && { authorization: `Bearer ${TOKEN}` }), ...headers },
      signal,
    })
    if (response.status !== 200) throw new Error(`GET ${path} responded with ${response.status}`)
    return response
  }

  /** Makes a call that must succeed. Returns the response body. */
  async must<T>(method: string, path: string, call: Call = {}): Promise<T> {
    const { status, text, body } = await this.call<T>(method, path, call)
    if (status >= 300) throw new Error(`${method} ${path} responded with ${status}: ${text}`)
    return body
  }

  get live(): LiveTail {
    return this.topics.tail
  }

  /** The address of the management API. */
  get origin(): string {
    return this.#origin
  }

  /** Starts the audience workers. They continue whenever the test advances the clock. */
  runAudiences(): void {
    for (const worker of this.#audiences.workers)
      this.#resources.use(new RunningWorker(worker, this.clock))
  }

  /** The folder of the backend. */
  get dataDir(): string {
    return this.#dataDir
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close()
    await this.#resources.disposeAsync()
  }

  async #listen(): Promise<void> {
    this.#server.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) this.routes.push(`${each} ${url}`)
    })
    this.#server.addHook('onRequest', (_request, _reply, done) => {
      this.received += 1
      done()
    })
    this.#server.addHook('onRequestAbort', (_request, done) => {
      this.aborted += 1
      done()
    })
    const logger = pino({ level: 'trace' }, { write: (line) => void this.logged.push(line) })
    const { backend, clock } = this
    const backups = new Backups(backend.alertStates)
    const recentAttempts = new RecentAttempts(clock, backend.signals)
    const lanes = this.#overrides.lanes ?? healthyLanes(backend)
    const deps = {
      ...backend,
      roles: this.roles,
      live: this.topics,
      inspector: sharedOf(new Inspector({ clock, logger, catalog: backend.catalog })),
      lanes,
      facts: new FactsCollector({
        ...backend,
        lanes,
        recentAttempts,
        backups,
        clock,
        retryWindowMs: 14_400_000,
        retentionMs: RETENTION_MS,
      }),
      recentAttempts,
      copyDatabase: async () => {
        throw new Error('These tests make no backup.')
      },
      backups,
      system: {
        version: '0.0.0',
        backend: 'embedded',
        startedAt: NOON,
        callsPort: null,
        dataDir: this.#dataDir,
        retentionMs: 60_000,
        retentionMaxBytes: 0,
        settings: [],
        readiness: async () => ({ status: 'ok' as const, checks: {} }),
        failingWorkers: async () => new Map<string, string>(),
      },
      backupTimeoutMs: 60_000,
      retentionMs: RETENTION_MS,
      sessionLifetimeMs: 24 * 60 * 60_000,
      allowsLocalAccess: false,
      testDeliveries: NO_TEST_DELIVERIES,
      nextRequests: (
        ...[delivery, event, destination, now]: Parameters<AdminDeps['nextRequests']>
      ) => nextRequests(delivery, event, destination, { now, transforms: new Transforms() }),
      computations: this.#audiences.computations,
      receipts: new ReceiptSigner(this.backend.ownKeys),
      clock,
      clockWatch: clockWatchOf(clock),
      adminToken: new Redacted(TOKEN),
      logger,
      metrics: this.metrics,
      rateLimit: null,
      maxLiveStreams: 100,
      maxAuthFailuresPerMinute: 60,
      traceUrl: undefined,
      consoleUrl: 'https://hookline.example/console',
      serviceLimits: { concurrency: 64, timeout: '10s', retryWindow: '4h' },
      allowedPorts: new Set<number>(),
      hostProblem: (host: string) => hostProblem(host, HOSTS),
      wake: () => undefined,
    }
    await this.#server.register(adminRoutes({ ...deps, ...this.#overrides }), { prefix: '/api/v1' })
    this.#origin = `${await this.#server.listen({ port: 0, host: '127.0.0.1' })}/api/v1`
  }
}

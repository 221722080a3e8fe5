import { LIMITS } from '@hookline/protocol'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { ActivityMonitor } from './activity/activity-monitor.ts'
import { EventNameWorker } from './activity/event-name-worker.ts'
import { type AdminToken, adminTokenOf } from './admin-token.ts'
import { Backups } from './admin/backup.ts'
import { reportDestinations } from './admin/destination-metrics.ts'
import { AlertWatcher } from './alerts/alert-watcher.ts'
import { FactsCollector } from './alerts/facts-collector.ts'
import { reportProblems } from './alerts/problem-metrics.ts'
import { Audiences } from './audiences/audiences.ts'
import type { Backend } from './backend/backend.ts'
import type { LeaseName } from './backend/nodes.ts'
import type { Config } from './config.ts'
import { DeletionWorker } from './deletions/deletions.ts'
import { resumeForbidden } from './delivery/health/webhook-pauser.ts'
import { ReplayWorker } from './delivery/replays/replay-worker.ts'
import { nextRequests, TestDeliverySender } from './delivery/parts/test-deliveries.ts'
import { DeliveryEngine } from './engine/delivery-engine.ts'
import {
  type LaneGroupSettings,
  NOTICE_LIMITS,
  openLaneGroup,
  openSender,
} from './engine/lane-group.ts'
import { LaneThreads } from './engine/lane-threads/lane-threads.ts'
import { idleLanes, type Lanes } from './engine/lanes.ts'
import { SharedLanes } from './engine/peers.ts'
import { withLease, openSupervisor } from './engine/supervision.ts'
import { hasReusePort } from './http/listen.ts'
import type { ReadinessCheck } from './http/monitoring.ts'
import { Inspector, type InspectorOptions } from './inspector/inspector.ts'
import { SharedInspector } from './inspector/shared-inspector.ts'
import { openBackend } from './open-backend.ts'
import { consoleUrlOf, openServers, ROLES, type Workers } from './servers.ts'
import type { SettingTexts } from './presented-settings.ts'
import { BoundedLogger, type Logger } from './telemetry/logger.ts'
import { Metrics } from './telemetry/metrics.ts'
import { openMetricsExport, openTracing } from './telemetry/opentelemetry/open.ts'
import type { Tracing, TracingOptions } from './telemetry/tracing.ts'
import { Transforms } from './delivery/transforms/transforms.ts'
import { type ThreadCounts, threadCounts } from './threads/thread-counts.ts'
import { Accounting, reportBacklog, Retention } from './upkeep/upkeep.ts'
import { checkOpenFiles, type FileShares, openFilesOf, sharesOf } from './util/limits/open-files.ts'
import { type Clock, systemClock } from './util/time/clock.ts'
import { ClockWatch } from './util/workers/clock-watch.ts'
import type { FailedWorker } from './util/workers/supervisor.ts'
import type { Worker } from './util/workers/worker.ts'
import { VERSION } from './version.ts'

export { DataDirInUseError } from './backend/embedded/database/data-dir.ts'
export { type RebuildResult, rebuildInto } from './backend/embedded/stopped/rebuild-database.ts'
export {
  backUpStopped,
  corruptionsOf,
  migrateStopped,
  recordedCorruptions,
  restoreInto,
  UnusableDatabaseError,
} from './backend/embedded/stopped/stopped-database.ts'

export { diagnoseCluster } from './open-backend.ts'
export type { FailedWorker } from './util/workers/supervisor.ts'

export interface ServiceOptions {
  readonly config: Config
  /** The texts and origins of the settings, for the management API. */
  readonly settings?: SettingTexts | undefined
  readonly logger: Logger
  /** The output of the logger, if lines can be lost there. */
  readonly logOutput?: { readonly linesLost: number }
  /** Whether browsers on this machine get admin access without signing in: for `hookline dev` on a loopback address. */
  readonly allowsLocalAccess?: boolean | undefined
  /** Called for each request to the inspector, before its response. */
  readonly onInspected?: InspectorOptions['onInspected']
}

/**
 * A running service. Disposing stops it gracefully: requests and attempts in flight have `shutdownTimeoutMs` to finish. Accepted events
 * are kept.
 */
export interface Service extends AsyncDisposable {
  /** The URL of the ingestion API, for example `http://127.0.0.1:4800`. */
  readonly url: string
  /** The URL of everything else: the same as `url` unless `adminPort` is set. */
  readonly adminUrl: string
  readonly adminToken: AdminToken
  /** Resolves on a failure that needs a restart: dispose of the service, then exit. */
  readonly failed: Promise<FailedWorker | DatabaseCorruption>
}

/** Stored data is corrupt. The next start checks all of it. */
export interface DatabaseCorruption {
  readonly corruption: Error
}

/** Shared by all components of the service. */
interface Components extends ServiceOptions {
  readonly backend: Backend
  readonly clock: Clock
  readonly clockWatch: ClockWatch
  readonly threads: ThreadCounts
  readonly fileShares: FileShares
  readonly metrics: Metrics
  readonly tracing: Tracing | undefined
  readonly activity: ActivityMonitor
  readonly inspector: Inspector
  readonly onPermanentFailure: (failure: FailedWorker) => void
  readonly shutdown: Shutdown
  readonly backups: Backups
}

/**
 * The composition root: opens the backend, connects the components, starts the workers, and listens. Once stopping begins, no connection
 * is accepted, no entry of the event log is read, and no attempt is started. Requests and attempts in flight finish and are recorded, or
 * are aborted after `shutdownTimeoutMs`. Then the components close in reverse order.
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { config, logger: unbounded, logOutput, onInspected } = options
  await using stack = new AsyncDisposableStack()
  const clock = systemClock
  const logger = new BoundedLogger(unbounded, { clock, linesPerMinute: config.logLinesPerMinute })
  const metrics = new Metrics(config.maxDestinationsInMetrics)
  const described = { clock, logger, version: VERSION }
  const tracing = stack.use(await openTracing({ ...described, ...tracingSettingsOf(config) }))
  const openFiles = openFilesOf(config.maxOpenFiles)
  const threads = await threadsFor(config, openFiles, logger)
  const callbacks = onFound({ config, logger, metrics })
  const backend = stack.use(
    await openBackend(config, { ...callbacks, appendingThreads: threads.ingest }),
  )
  const newestAt = await newestEventAt(backend)
  const clockWatch = new ClockWatch({ clock, metrics, logger, newestAt })
  const inspector = new Inspector({ ...backend, clock, logger, onInspected })
  const activity = stack.use(
    new ActivityMonitor({ ...backend, clock, clockWatch, logger, inspector }),
  )
  const { promise: failed, resolve: onPermanentFailure } = Promise.withResolvers<FailedWorker>()
  const shutdown = new Shutdown()
  const components: Components = {
    ...options,
    logger,
    backend,
    clock,
    clockWatch,
    threads,
    fileShares: sharesOf(openFiles, threads.ingest + threads.delivery),
    metrics,
    tracing,
    activity,
    inspector,
    onPermanentFailure,
    shutdown,
    backups: await Backups.open(backend.alertStates),
  }
  describeProcess({ config, metrics }, logOutput)
  // The settings that forbid a URL may have changed since the last start.
  if (ROLES[config.role].delivers) await resumeForbidden(backend.catalog, clock)
  await joinNodes(stack, components)
  const workers = startWorkers(stack, components)
  const adminToken = adminTokenOf(config)
  const stopping = { stopTimeoutMs: stopTimeoutOf(config), overdue: shutdown.overdue }
  const shared = new SharedInspector({ ...backend, inspector })
  const own = { backendName: config.backend, adminToken, inspector: shared, ...stopping }
  const servers = await openServers({ ...components, ...workers, ...own })
  const { url, adminUrl } = stack.use(servers)
  // Closes first, while all threads still report their metrics.
  stack.use(await openMetricsExport({ ...described, metrics }))
  const running = stack.move()
  return {
    url,
    adminUrl,
    adminToken,
    failed: Promise.race([failed, backend.corrupted.then((corruption) => ({ corruption }))]),
    [Symbol.asyncDispose]: () => stop(running, components),
  }
}

async function stop(running: AsyncDisposableStack, components: Components): Promise<void> {
  const { config, clock, shutdown } = components
  const end = shutdown.begin(clock, config.shutdownTimeoutMs)
  await running.disposeAsync()
  end()
}

async function joinNodes(stack: AsyncDisposableStack, components: Components): Promise<void> {
  const { backend, config, shutdown } = components
  const joined = stack.use(await backend.nodes.join({ version: VERSION, role: config.role }))
  // No more attempts start here: other nodes take over this node's share of each lane.
  shutdown.begun.addEventListener('abort', () => void joined[Symbol.asyncDispose]())
}

function tracingSettingsOf({ traceContext }: Config): Pick<TracingOptions, 'continuesTraces'> {
  return { continuesTraces: traceContext === 'on' }
}

function onFound({ config, logger, metrics }: Pick<Components, 'config' | 'logger' | 'metrics'>) {
  return {
    onUnreadable: (row: object) => logger.error(row, 'key_change.row_skipped'),
    onEmptiedLock: () => logger.warn({ dataDir: config.dataDir }, 'lock_file.emptied'),
    onCorruption: (description: string) => {
      logger.error({ description }, 'corruption.found')
      metrics.corruptions.inc()
    },
  }
}

/** The number of threads of each kind. @throws {TooFewOpenFilesError} */
async function threadsFor(
  config: Config,
  openFiles: number,
  logger: Logger,
): Promise<ThreadCounts> {
  const machine = {
    cores: availableParallelism(),
    hasReusePort: await hasReusePort(config.host),
    openFiles,
  }
  // Threads share the file of the embedded backend. A cluster has no such file: it scales with its nodes instead.
  const threads =
    config.backend === 'cluster' ? { ingest: 0, delivery: 0 } : threadCounts(config, machine)
  checkOpenFiles(openFiles, {
    threads: threads.ingest + threads.delivery,
    connections: config.maxInFlight + NOTICE_LIMITS.maxInFlight + TEST_SOCKETS,
    onInsufficientFiles: (wanted) => logger.warn({ openFiles, wanted }, 'open_files.limited'),
  })
  return threads
}

function describeProcess(
  { config, metrics }: Pick<Components, 'config' | 'metrics'>,
  logOutput: ServiceOptions['logOutput'],
): void {
  metrics.buildInfo.set({ version: VERSION, backend: config.backend }, 1)
  metrics.beforeScrape(() => {
    metrics.logLinesLost.reset()
    metrics.logLinesLost.inc(logOutput?.linesLost ?? 0)
  })
}

/** When the newest archived event was received. */
async function newestEventAt({ events }: Backend): Promise<number | undefined> {
  const [newest] = (await events.list({}, { limit: 1 })).data
  return newest && Date.parse(newest.event.receivedAt)
}

/** Starts the workers of the node's role. Disposing of `stack` stops them. */
export function startWorkers(stack: AsyncDisposableStack, components: Components): Workers {
  tuneHeap()
  const { config, clock, inspector, shutdown } = components
  const settings = laneSettingsOf(components)
  const started = ROLES[config.role].delivers
    ? startDelivery(stack, components, settings)
    : startIdle(stack, components)
  // Test deliveries need no lane: any node with the management API can send them.
  const testSenderSettings = { ...settings.sender, maxSockets: TEST_SOCKETS }
  const sender = stack.use(openSender(testSenderSettings, { clock, inspector }))
  const transforms = stack.use(new Transforms())
  shutdown.overdue.addEventListener('abort', () => sender.abort())
  return {
    ...started,
    testDeliveries: new TestDeliverySender({ sender, transforms, clock }),
    nextRequests: (delivery, event, destination, now) =>
      nextRequests(delivery, event, destination, { now, transforms }),
    hostProblem: (host) => sender.hostProblem(host),
  }
}

/**
 * Sets V8's flags for a process in which nearly all objects are short-lived. Otherwise, after a burst, V8 pretenures objects from
 * the hottest allocation sites, and collects the old generation every few seconds, which delays events by 50 ms or more.
 */
function tuneHeap(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
}

/** The growth of the old generation between major GCs, as a percentage of its size. */
const GROWTH_PERCENT = 200

/** The part of `Workers` that depends on the role. */
type StartedWorkers = Omit<Workers, 'testDeliveries' | 'nextRequests' | 'hostProblem'>

/** Without delivery, a node only watches its clock. */
function startIdle(stack: AsyncDisposableStack, components: Components): StartedWorkers {
  const { backend, clockWatch, shutdown } = components
  const lanes = idleLanes(backend.catalog)
  const shared = sharedBy(components, lanes)
  const stopping = new AbortController()
  const supervisor = openSupervisor(components, stopping.signal)
  supervisor.run(clockWatch)
  shutdown.begun.addEventListener('abort', () => stopping.abort())
  stack.defer(async () => {
    stopping.abort()
    await supervisor.ended()
  })
  return {
    checks: [clockCheck(clockWatch)],
    failingWorkers: async () => supervisor.failing,
    wake: () => undefined,
    computations: new Audiences(components).computations,
    unrecorded: () => lanes.unrecorded,
    ...shared,
  }
}

/** The lanes of all nodes, and the facts about current problems. */
function sharedBy(
  { backend, backups, activity, metrics, clock, config }: Components,
  ownLanes: Lanes,
): Pick<StartedWorkers, 'lanes' | 'backups'> & { readonly facts: FactsCollector } {
  const lanes = new SharedLanes({ lanes: ownLanes, clock, signals: backend.signals })
  const { statistics, recent: recentAttempts } = activity
  const { retryWindowMs, retentionMs } = config
  const own = { lanes, statistics, recentAttempts, backups, clock, retryWindowMs, retentionMs }
  const facts = new FactsCollector({ ...backend, ...own })
  reportProblems(metrics, { facts, catalog: backend.catalog })
  return { lanes, facts, backups }
}

/** Starts the pipeline, the lanes and the background workers. */
function startDelivery(
  stack: AsyncDisposableStack,
  components: Components,
  settings: LaneGroupSettings,
): StartedWorkers {
  const { config, backend, backups, clock, clockWatch, metrics, shutdown } = components
  const lanes = openLanes(components, settings)
  const engine = stack.use(new DeliveryEngine({ ...components, lanes }))
  shutdown.begun.addEventListener('abort', () => engine.stop())
  shutdown.overdue.addEventListener('abort', () => lanes.abort())
  const wakeEngine = (): void => engine.wake()
  const onErased = (): Promise<void> => backups.endOutdated()
  const deletions = { ...components, ...backend, onErased, onNotices: wakeEngine }
  const deletionWorker = new DeletionWorker(deletions)
  const byOneNode = (name: LeaseName, worker: Worker): void =>
    engine.supervise(withLease(worker, name, backend.leases))
  byOneNode('deletions', deletionWorker)
  const replays = new ReplayWorker({ ...components, ...backend, onRequeued: wakeEngine })
  byOneNode('replays', replays)
  engine.supervise(clockWatch)
  byOneNode('event-names', new EventNameWorker({ ...backend, clock }))
  const audiences = new Audiences(components)
  for (const worker of audiences.workers) byOneNode('audiences', worker)
  const { upkeep, audit } = backend
  const { retentionMs, retentionMaxBytes, auditRetentionMs } = config
  const limits = { retentionMs, retentionMaxBytes, auditRetentionMs }
  byOneNode('retention', new Retention({ ...components, upkeep, audit, ...limits }))
  const accounting = new Accounting({ ...components, upkeep, engine })
  engine.supervise(accounting)
  metrics.beforeScrape(() => accounting.check())
  reportBacklog(metrics, upkeep, clock)
  metrics.beforeScrape(async () => {
    metrics.breakersOpen.set((await lanes.status()).openBreakers)
  })
  reportDestinations(metrics, { ...backend, clock, lanes })
  const shared = sharedBy(components, lanes)
  byOneNode(
    'alerts',
    new AlertWatcher({ ...components, ...backend, ...shared, consoleUrl: consoleUrlOf(config) }),
  )
  return {
    checks: readinessOf(engine, clockWatch, stuckAfterMs(config)),
    failingWorkers: async () => (await engine.status()).failing,
    wake: () => {
      engine.wake()
      replays.wake()
      deletionWorker.wake()
      audiences.wake()
    },
    computations: audiences.computations,
    unrecorded: () => lanes.unrecorded,
    ...shared,
  }
}

/** The lanes of all destinations: in dedicated threads, or on this one. */
function openLanes(components: Components, settings: LaneGroupSettings): Lanes {
  const { config } = components
  const threads = components.threads.delivery
  // Lanes in threads belong to one process, and have no peers.
  if (threads === 0) return openLaneGroup({ ...components, settings, peers: components.backend })
  const module = new URL('./delivery-thread', import.meta.url)
  const stopTimeoutMs = stopTimeoutOf(config)
  const own = { settings, threads, module, stopTimeoutMs, ...tracingSettingsOf(config) }
  return new LaneThreads({ ...components, ...own })
}

/** The time to record aborted requests and attempts after `shutdownTimeoutMs`. */
const STOP_SLACK_MS = 5_000

/** The time limit for a thread during shutdown. */
function stopTimeoutOf({ shutdownTimeoutMs }: Config): number {
  return shutdownTimeoutMs + STOP_SLACK_MS
}

/** The sockets kept for test deliveries. More are opened if more are in flight. */
const TEST_SOCKETS = 8

/** The settings of lanes, as plain data for threads. */
function laneSettingsOf({ config, fileShares }: Components): LaneGroupSettings {
  const { retryWindowMs, retryScheduleMs, tlsCaFile, egressProxy } = config
  const maxSockets = fileShares.webhookSockets - TEST_SOCKETS
  return {
    retryWindowMs,
    retryScheduleMs,
    limits: {
      maxInFlight: Math.min(config.maxInFlight, maxSockets - NOTICE_LIMITS.maxInFlight),
      maxConcurrencyPerWebhook: config.maxConcurrencyPerWebhook,
      webhookQueueSize: config.webhookQueueSize,
      maxInMemory: config.maxDeliveriesInMemory,
    },
    sender: {
      timeoutMs: config.attemptTimeoutMs,
      allowedNetworks: config.allowedNetworks,
      allowedPorts: config.allowedPorts,
      egressProxy: egressProxy?.reveal(),
      // Deletion notices have their own connections, so that they do not wait for events.
      maxConnectionsPerWebhook:
        config.maxConcurrencyPerWebhook + NOTICE_LIMITS.maxConcurrencyPerWebhook,
      maxSockets,
      ca: tlsCaFile === undefined ? undefined : readFileSync(tlsCaFile, 'utf8'),
    },
  }
}

/**
 * The time after which an attempt counts as stuck: longer than any receiver can keep it open. The longest attempt makes
 * two requests with the maximum timeout of a webhook, and two for access tokens before each.
 */
function stuckAfterMs({ attemptTimeoutMs }: Pick<Config, 'attemptTimeoutMs'>): number {
  const request = Math.max(attemptTimeoutMs, LIMITS.maxWebhookTimeoutMs)
  return 2 * (request + 2 * attemptTimeoutMs) + 10_000
}

/**
 * A check that always passes, and only adds the note of the clock watch: deliveries continue, so the service stays
 * ready.
 */
function clockCheck(clockWatch: ClockWatch): ReadinessCheck {
  return { name: 'clock', check: async () => undefined, note: () => clockWatch.note }
}

function readinessOf(
  engine: DeliveryEngine,
  clockWatch: ClockWatch,
  maxStalledMs: number,
): ReadinessCheck[] {
  return [
    clockCheck(clockWatch),
    {
      name: 'deliveries',
      check: async () => {
        const { stalledMs } = await engine.status()
        if (stalledMs < maxStalledMs) return
        const seconds = Math.floor(stalledMs / 1000)
        throw new Error(`Deliveries are pending, but none has finished for ${seconds} s.`)
      },
    },
  ]
}

export class Shutdown {
  readonly #begun = new AbortController()
  readonly #overdue = new AbortController()
  /** Aborts when the stop begins. */
  readonly begun: AbortSignal = this.#begun.signal
  /** Aborts when the stop times out. */
  readonly overdue: AbortSignal = this.#overdue.signal

  /** Begins the stop. The returned function cancels its timeout. */
  begin(clock: Clock, timeoutMs: number): () => void {
    this.#begun.abort()
    return clock.after(timeoutMs, () => this.#overdue.abort())
  }
}

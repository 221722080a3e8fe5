import { LIMITS } from '@hookline/protocol'
import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import { Observation } from './activity/observation.ts'
import { witnessedDispatcher } from './activity/witnessed-dispatcher.ts'
import { type AdminToken, adminTokenOf } from './admin-token.ts'
import type { Backend } from './backend/backend.ts'
import { openEmbeddedBackend } from './backend/embedded/open.ts'
import type { Config } from './config.ts'
import { DeletionWorker } from './deletions/deletion-worker.ts'
import { AttemptRounds } from './delivery/rounds/attempt-round.ts'
import { Dispatcher } from './delivery/dispatcher.ts'
import { Trials } from './delivery/rounds/trials.ts'
import { ReplayWorker } from './delivery/replays/replay-worker.ts'
import { WebhookSender } from './delivery/sending/sender.ts'
import { WebhookHealth } from './delivery/health/webhook-health.ts'
import { webhookStates } from './delivery/health/webhook-states.ts'
import { Acks } from './pipeline/acks.ts'
import { type HandedOver, Pipeline } from './pipeline/pipeline.ts'
import { openServers, type Workers } from './servers.ts'
import { Metrics } from './telemetry/metrics.ts'
import { reportBacklog } from './upkeep/backlog-gauges.ts'
import { Retention } from './upkeep/retention.ts'
import { type Clock, systemClock } from './util/clock.ts'
import { VERSION } from './version.ts'

export { DataDirInUse } from './backend/embedded/database/data-dir.ts'
export { migrateStopped } from './backend/embedded/stopped/migrate-stopped.ts'
export {
  backUpStopped,
  damageOf,
  restoreInto,
  UnusableDatabase,
} from './backend/embedded/stopped/stopped-database.ts'

export interface ServiceOptions {
  readonly config: Config
  readonly logger: Logger
}

/** A running service. Disposing it stops gracefully: nothing accepted is lost, nothing in flight is cut off early. */
export interface Service extends AsyncDisposable {
  /** Where it listens, for example `http://127.0.0.1:4800`. */
  readonly url: string
  /** Where management API, health and metrics are: the same unless `adminPort` is set. */
  readonly adminUrl: string
  readonly adminToken: AdminToken
}

/** What the parts share. */
export interface Parts extends ServiceOptions {
  readonly backend: Backend
  readonly clock: Clock
  readonly metrics: Metrics
  readonly observation: Observation
}

/**
 * The composition root: opens the backend, wires the parts, starts the workers, listens.
 * What is opened is closed in the opposite order: first no more calls come in, then no more entries
 * are taken, then the rounds in flight end and are recorded and acked, then the backend closes.
 */
export async function openService({ config, logger }: ServiceOptions): Promise<Service> {
  await using stack = new AsyncDisposableStack()
  const opened = stack.use(await openEmbeddedBackend(config))
  const shared = { logger, clock: systemClock, metrics: new Metrics() }
  const observation = stack.use(new Observation({ ...shared, backend: opened }))
  const parts: Parts = { ...shared, config, backend: observation.backend, observation }
  parts.metrics.buildInfo.set({ version: VERSION, backend: 'embedded' }, 1)
  const adminToken = adminTokenOf(config)
  const workers = startWorkers(stack, parts)
  const { url, adminUrl } = stack.use(await openServers({ ...parts, ...workers, adminToken }))
  const running = stack.move()
  return {
    url,
    adminUrl,
    adminToken,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** No receiver can hold a round up for so long. */
const STUCK_AFTER_MS = 60_000

/** Starts delivery, pipeline and what looks after the data; `stack` stops them. */
export function startWorkers(stack: AsyncDisposableStack, parts: Parts): Workers {
  const { config, logger, backend, clock, metrics } = parts
  const { log, catalog, events, deliveries, deletions, quarantine } = backend
  const acks = stack.use(new Acks(log, logger))
  const sender = stack.use(openSender(parts))
  // Who sets the waits between attempts sets how long a breaker rests, too.
  const longestOpenMs = config.retryScheduleMs && Math.max(...config.retryScheduleMs)
  const health = new WebhookHealth(clock, { longestOpenMs })
  const dispatcher = stack.use(openDispatcher(parts, { sender, health }))
  const shared = { log, catalog, events, deliveries, deletions, quarantine, clock, metrics, logger }
  const handOver = witnessedDispatcher<HandedOver>(dispatcher, parts.observation.witness)
  const pipeline = new Pipeline({ ...shared, dispatcher: handOver, acks })
  const stopping = new AbortController()
  let failure: unknown
  const running = pipeline.run(stopping.signal).catch((error: unknown) => {
    failure = error
    logger.fatal({ err: error }, 'pipeline.failed')
  })
  stack.defer(() => {
    stopping.abort()
    return running
  })
  dispatcher.start()
  const wakeReplays = startUpkeep(stack, parts, dispatcher)
  const { lanes, wake: wakeDeletions } = startDeletions(stack, parts, { sender, health })
  metrics.beforeScrape(() =>
    metrics.accountingImbalance.set(dispatcher.imbalance + lanes.imbalance),
  )
  return {
    checks: [
      {
        name: 'pipeline',
        check: async () => {
          if (failure !== undefined) throw new Error('It has failed: restart the service.')
        },
      },
      {
        name: 'draining',
        check: async () => {
          const stillForMs = Math.max(dispatcher.stillForMs, lanes.stillForMs)
          if (stillForMs < STUCK_AFTER_MS) return
          const seconds = Math.floor(stillForMs / 1000)
          throw new Error(`There are deliveries to make, and none has ended for ${seconds} s.`)
        },
      },
    ],
    wake: () => {
      dispatcher.wake()
      wakeReplays()
      wakeDeletions()
    },
    trials: new Trials({ sender, clock }),
    signs: {
      webhooks: (destination) => webhookStates(destination, health, clock.now()),
      lastHour: (id) => parts.observation.recent.of(id),
    },
  }
}

function openSender({ config, clock }: Parts): WebhookSender {
  return new WebhookSender({
    clock,
    timeoutMs: config.attemptTimeoutMs,
    allowedNetworks: config.allowedNetworks,
    allowedPorts: config.allowedPorts,
    // Some for notices alone, which wait for no event.
    maxConnectionsPerWebhook: config.laneConcurrency + NOTICE_LIMITS.laneConcurrency,
    ...(config.tlsCaFile === undefined ? {} : { ca: readFileSync(config.tlsCaFile, 'utf8') }),
  })
}

/** What all lanes share. */
interface Ways {
  readonly sender: WebhookSender
  readonly health: WebhookHealth
}

/** The lanes of events. */
function openDispatcher(parts: Parts, { sender, health }: Ways): Dispatcher {
  const { config, logger, backend, clock, metrics } = parts
  const { catalog, deliveries, deletions, quarantine, upkeep } = backend
  const { retryWindowMs } = config
  const schedule = { windowMs: retryWindowMs, delaysMs: config.retryScheduleMs }
  return new Dispatcher({
    catalog,
    deliveries,
    deletions,
    quarantine,
    upkeep,
    rounds: new AttemptRounds({ clock, sender, schedule, health }),
    health,
    clock,
    metrics,
    logger,
    retryWindowMs,
    limits: config,
  })
}

/** Few, and of their own: a notice waits for no event. */
const NOTICE_LIMITS = { maxInFlight: 16, laneConcurrency: 4, laneWindow: 64 }

/** Deletions, and lanes for their notices beside those of events. `wake` tells that there is one. */
function startDeletions(
  stack: AsyncDisposableStack,
  { config, logger, backend, clock, metrics }: Parts,
  { sender, health }: Ways,
): { readonly lanes: Dispatcher; readonly wake: () => void } {
  const { catalog, deletions, suppressions, notices, noticeQueue } = backend
  const shared = { catalog, deletions, clock, metrics, logger }
  const retryWindowMs = LIMITS.noticeRetryWindowMs
  const schedule = { windowMs: retryWindowMs, delaysMs: config.retryScheduleMs }
  const lanes = stack.use(
    new Dispatcher({
      ...shared,
      deliveries: noticeQueue,
      quarantine: noticeQueue,
      upkeep: noticeQueue,
      rounds: new AttemptRounds({ clock, sender, schedule, health }),
      health,
      retryWindowMs,
      keepsEveryAnswer: true,
      limits: NOTICE_LIMITS,
    }),
  )
  const onNotices = (): void => lanes.wake()
  const worker = stack.use(new DeletionWorker({ ...shared, suppressions, notices, onNotices }))
  lanes.start()
  worker.wake()
  return { lanes, wake: () => worker.wake() }
}

/** Replays, retention and gauges. Returns how replays are told that there is one. */
function startUpkeep(
  stack: AsyncDisposableStack,
  { config, logger, backend, clock, metrics }: Parts,
  dispatcher: Dispatcher,
): () => void {
  const { replays, upkeep, audit } = backend
  const onRequeued = (): void => dispatcher.wake()
  const replayWorker = stack.use(new ReplayWorker({ replays, clock, logger, onRequeued }))
  const { retentionMs, retentionMaxBytes, auditRetentionMs } = config
  const limits = { retentionMs, retentionMaxBytes, auditRetentionMs }
  const retention = stack.use(new Retention({ upkeep, audit, clock, metrics, logger, ...limits }))
  reportBacklog(metrics, upkeep, clock)
  replayWorker.wake()
  retention.start()
  return () => replayWorker.wake()
}

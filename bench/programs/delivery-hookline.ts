import { availableParallelism } from 'node:os'
import type { WebhooksSettings } from '@hookline/protocol'
import { createLogger, parseConfig } from '@hookline/server'
import { Backups } from '../../packages/server/src/admin/backup.ts'
import { openEmbeddedBackend } from '../../packages/server/src/backend/embedded/open.ts'
import type { Log } from '../../packages/server/src/backend/log.ts'
import { ActivityMonitor } from '../../packages/server/src/activity/activity-monitor.ts'
import { Inspector } from '../../packages/server/src/inspector/inspector.ts'
import { threadCounts } from '../../packages/server/src/threads/thread-counts.ts'
import { Shutdown, startWorkers } from '../../packages/server/src/service.ts'
import { sharesOf } from '../../packages/server/src/util/limits/open-files.ts'
import { Metrics } from '../../packages/server/src/telemetry/metrics.ts'
import { openTracing } from '../../packages/server/src/telemetry/opentelemetry/open.ts'
import { systemClock } from '../../packages/server/src/util/time/clock.ts'
import { ClockWatch } from '../../packages/server/src/util/workers/clock-watch.ts'
import { appendToLog } from '../load/append-to-log.ts'
import { SECRET } from '../load/service-process.ts'
import { respondWith, SteadyStream } from '../load/steady-stream.ts'
import { temporaryDataDir } from '../load/temporary-data-dir.ts'
import { threadVariables } from '../load/threads.ts'

// Everything between the log and the receiver, wired by the service's composition root. Events are appended durably, as
// in ingest. The second argument contains additional destination settings, as JSON; the third is the setting
// `traceContext`. The OpenTelemetry environment variables apply.

const [port, routing = '{}', traceContext = 'on'] = process.argv.slice(2)
const stack = new AsyncDisposableStack()
const dataDir = stack.use(temporaryDataDir()).path
const config = parseConfig(threadVariables(process.env), {
  dataDir,
  allowedNetworks: '127.0.0.0/8',
  logLevel: 'error',
})
const backend = stack.use(await openEmbeddedBackend(config))

const stream = new SteadyStream({
  // The maximum that its lane holds without parking deliveries in the database.
  outstanding: config.webhookQueueSize,
  append: (events) => appendToLog(backend.log, events),
})
const log: Log = {
  append: (events) => backend.log.append(events),
  consume: (options) => backend.log.consume(options),
  ack(entries) {
    for (const { events } of entries) stream.done(events.length)
    return backend.log.ack(entries)
  },
}

const now = Date.now()
const dates = { createdAt: now, updatedAt: now, version: 1 }
await backend.catalog.putSource({
  id: 'src_a',
  name: 'bench',
  enabled: true,
  rateLimit: null,
  writeKeys: [],
  ...dates,
})
await backend.catalog.putDestination({
  id: 'dst_a',
  sourceId: 'src_a',
  type: 'Webhooks',
  name: 'bench',
  enabled: true,
  paused: null,
  ...dates,
  settings: {
    sharedSecret: SECRET,
    webhooks: [{ url: `http://127.0.0.1:${port}/hook`, headers: {} }],
    successPolicy: 'any',
    ...(JSON.parse(routing) as Pick<WebhooksSettings, 'filter' | 'fields'>),
  },
})
const logger = createLogger('error')
const clock = systemClock
const metrics = new Metrics()
const continuesTraces = traceContext === 'on'
const tracing = await openTracing({ continuesTraces, version: 'bench', clock, logger })
const clockWatch = new ClockWatch({ clock, metrics, logger })
const inspector = new Inspector({ ...backend, clock, logger })
const activity = stack.use(
  new ActivityMonitor({ ...backend, clock, clockWatch, logger, inspector }),
)
const threads = threadCounts(config, {
  cores: availableParallelism(),
  hasReusePort: true,
  openFiles: Infinity,
})
startWorkers(stack, {
  config,
  logger,
  backend: {
    ...backend,
    log,
    probe: () => backend.probe(),
    [Symbol.asyncDispose]: async () => undefined,
  },
  clock,
  clockWatch,
  threads,
  fileShares: sharesOf(config.maxOpenFiles, threads.delivery),
  metrics,
  tracing,
  activity,
  inspector,
  onPermanentFailure: ({ error }) => {
    throw error
  },
  shutdown: new Shutdown(),
  backups: new Backups(backend.alertStates),
})
respondWith(stream, () => stack.disposeAsync())

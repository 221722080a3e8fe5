import type { AcceptedEvent, Destination } from '@hookline/protocol'
import pino from 'pino'
import type { Backend } from '../../../server/src/backend/backend.ts'
import type { DeliveryHistory } from '../../../server/src/backend/deliveries.ts'
import { openEmbeddedBackend } from '../../../server/src/backend/embedded/open.ts'
import type { DispatcherOptions } from '../../../server/src/delivery/dispatcher.ts'
import { WebhookHealth } from '../../../server/src/delivery/health/webhook-health.ts'
import { ReplayWorker } from '../../../server/src/delivery/replays/replay-worker.ts'
import {
  WebhookSender,
  type WebhookSenderOptions,
} from '../../../server/src/delivery/sending/sender.ts'
import { DeliveryEngine } from '../../../server/src/engine/delivery-engine.ts'
import { LaneGroup } from '../../../server/src/engine/lane-group.ts'
import { Metrics } from '../../../server/src/telemetry/metrics.ts'
import { type Clock, systemClock } from '../../../server/src/util/time/clock.ts'
import type { FailedWorker } from '../../../server/src/util/workers/supervisor.ts'
import { acceptedEvent } from '../records/accepted-event.ts'
import { newDestination, newSource } from '../records/catalog-records.ts'
import { NO_ACTIVITY } from './no-activity.ts'
import { TemporaryFolder } from '../files/temporary-folder.ts'

export interface EngineOptions {
  readonly limits?: Partial<DispatcherOptions['limits']>
  readonly retryDelaysMs?: readonly number[]
  readonly retryWindowMs?: number
  /** By default, the sender may reach loopback. */
  readonly sender?: Partial<WebhookSenderOptions>
  /** The clock of the engine. Attempts use the system's clock. */
  readonly clock?: Clock
  readonly maxDestinationsInMetrics?: number
  readonly logLevel?: 'debug' | 'info'
  /** An open backend instead of the embedded one. The test closes it. */
  readonly backend?: Backend
  /** Wraps the backend of the engine, to inject faults. */
  readonly through?: (backend: Backend) => Backend
}

const LIMITS = {
  maxInFlight: 512,
  maxConcurrencyPerWebhook: 64,
  webhookQueueSize: 256,
  maxInMemory: 16_384,
}

/** The delivery engine of the service on a real database, without the HTTP server. */
export class TestEngine implements AsyncDisposable {
  readonly backend: Backend
  readonly metrics: Metrics
  readonly logged: { readonly msg: string; readonly [field: string]: unknown }[] = []
  readonly failedPermanently: FailedWorker[] = []
  readonly engine: DeliveryEngine
  readonly sender: WebhookSender
  readonly replays: ReplayWorker
  readonly lanes: LaneGroup
  expectedMissing = 0
  readonly #stack: AsyncDisposableStack
  readonly #clock: Clock

  private constructor(backend: Backend, stack: AsyncDisposableStack, options: EngineOptions) {
    this.backend = backend
    this.#clock = options.clock ?? systemClock
    this.#stack = stack
    this.metrics = new Metrics(options.maxDestinationsInMetrics)
    const wrapped = options.through?.(backend) ?? backend
    const { metrics } = this
    const clock = this.#clock
    const logger = pino(
      { level: options.logLevel ?? 'warn' },
      { write: (line: string) => void this.logged.push(JSON.parse(line)) },
    )
    this.sender = new WebhookSender({
      clock: systemClock,
      // Longer than a test takes on any machine, because an attempt that times out is sent again.
      timeoutMs: 30_000,
      allowedNetworks: ['127.0.0.0/8'],
      maxConnectionsPerWebhook: 64,
      ...options.sender,
    })
    const shared = {
      backend: wrapped,
      activity: NO_ACTIVITY,
      clock,
      metrics,
      logger,
      onPermanentFailure: (failure: FailedWorker) => void this.failedPermanently.push(failure),
    }
    this.lanes = new LaneGroup({
      ...shared,
      sender: this.sender,
      health: new WebhookHealth(clock),
      settings: {
        retryWindowMs: options.retryWindowMs ?? 60_000,
        retryScheduleMs: options.retryDelaysMs ?? [20],
        limits: { ...LIMITS, ...options.limits },
      },
    })
    this.engine = stack.use(new DeliveryEngine({ ...shared, lanes: this.lanes }))
    const onRequeued = (): void => this.engine.wake()
    this.replays = new ReplayWorker({ ...shared, ...wrapped, onRequeued })
    this.engine.supervise(this.replays)
  }

  static async open(options: EngineOptions = {}, folder?: TemporaryFolder): Promise<TestEngine> {
    const stack = new AsyncDisposableStack()
    const dataDir = (folder ?? stack.use(new TemporaryFolder())).path
    const backend =
      options.backend ?? stack.use(await openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 26 }))
    await putMissingSource(backend, 'src_a')
    return new TestEngine(backend, stack, options)
  }

  async destination(
    id: string,
    url: string,
    change: Partial<Destination> = {},
  ): Promise<Destination> {
    const settings = { webhooks: [{ url, headers: {} }] }
    const destination = newDestination({ id, name: id, settings, ...change })
    await putMissingSource(this.backend, destination.sourceId)
    await this.backend.catalog.putDestination(destination)
    return destination
  }

  async receive(count: number): Promise<readonly AcceptedEvent[]> {
    const at = this.#clock.now()
    const events = Array.from({ length: count }, () => acceptedEvent({ at }))
    await this.backend.log.append(events)
    return events
  }

  async deliveries(filter: {
    eventId?: string
    destinationId?: string
  }): Promise<readonly DeliveryHistory[]> {
    return (await this.backend.deliveries.list(filter, { limit: 10_000 })).data
  }

  get openBreakers(): number {
    return this.lanes.current.openBreakers
  }

  /** Resolves when the engine has finished its current reads and writes. */
  async settled(): Promise<void> {
    for (let turns = 0; turns < 5; turns++) {
      await this.backend.probe()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async missing(): Promise<number> {
    const missing = Object.values(await this.backend.upkeep.missing()) as number[]
    return missing.reduce((sum, each) => sum + Math.abs(each), 0)
  }

  /** Disposes of the engine. Rejects if events or deliveries were lost or completed twice, before the stop or after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const before = {
      ...(await this.engine.status()).imbalance,
      missing: (await this.missing()) - this.expectedMissing,
    }
    await this.#stack.disposeAsync()
    const { imbalance, inMemory } = await this.engine.status()
    const after = { ...imbalance, inMemory }
    const counts = [...Object.values(before), ...Object.values(after)]
    if (counts.every((count) => count === 0)) return
    const found = JSON.stringify({ before, after })
    throw new Error(`Events or deliveries were lost or completed twice: ${found}`)
  }
}

async function putMissingSource({ catalog }: Backend, id: string): Promise<void> {
  if (!catalog.current.sources.has(id)) await catalog.putSource(newSource({ id }))
}

import type { AcceptedEvent, WebhookLimits } from '@hookline/protocol'
import type { Backend } from '../../../src/backend/backend.ts'
import type { BackendThreads } from '../../../src/backend/threads.ts'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { DeliveryEngine } from '../../../src/engine/delivery-engine.ts'
import { LaneThreads } from '../../../src/engine/lane-threads/lane-threads.ts'
import { Inspector } from '../../../src/inspector/inspector.ts'
import type { DeliveryActivity } from '../../../src/telemetry/activity-listener.ts'
import { createLogger } from '../../../src/telemetry/logger.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import { systemClock } from '../../../src/util/time/clock.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { newDestination } from '@hookline/testing/records/catalog-records'
import { NO_ACTIVITY } from '@hookline/testing/engine/no-activity'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const LIMITS = {
  maxInFlight: 512,
  maxConcurrencyPerWebhook: 64,
  webhookQueueSize: 256,
  maxInMemory: 16_384,
}

/** Promises that steps wait for. A step without one does not wait. */
interface Gates {
  /** Looking up the deliveries of a thread that has exited. */
  readonly lookUps?: Promise<unknown>
  /** Starting threads. */
  readonly starts?: Promise<unknown>
}

/** The service's delivery engine with lanes in threads, on a real database. */
export class ThreadedEngine implements AsyncDisposable {
  readonly backend: Backend
  readonly lanes: LaneThreads
  readonly engine: DeliveryEngine
  readonly inspector: Inspector
  readonly metrics = new Metrics()
  readonly recorded: DeliveryActivity[] = []
  readonly failedPermanently: unknown[] = []
  readonly #stack: AsyncDisposableStack

  private constructor(
    backend: Backend,
    inspector: Inspector,
    stack: AsyncDisposableStack,
    { threads, lookUps, starts }: Gates & { readonly threads: number },
  ) {
    this.backend = backend
    this.inspector = inspector
    this.#stack = stack
    const shared = {
      backend,
      activity: {
        ...NO_ACTIVITY,
        recorded: (each: DeliveryActivity) => void this.recorded.push(each),
      },
      clock: systemClock,
      metrics: this.metrics,
      logger: createLogger('silent'),
      onPermanentFailure: (failure: unknown) => void this.failedPermanently.push(failure),
    }
    const find = (id: string) => Promise.resolve(lookUps).then(() => backend.deliveries.find(id))
    const connect = () => Promise.resolve(starts).then(() => backend.threads.connect())
    const onChange: BackendThreads['onChange'] = (listener) => backend.threads.onChange(listener)
    const reportCorruption = (error: Error) => backend.threads.reportCorruption(error)
    this.lanes = new LaneThreads({
      ...shared,
      backend: {
        ...backend,
        deliveries: { find },
        threads: { connect, onChange, reportCorruption },
      },
      module: new URL('../../../src/delivery-thread', import.meta.url),
      threads,
      continuesTraces: true,
      inspector,
      stopTimeoutMs: 10_000,
      settings: {
        retryWindowMs: 60_000,
        retryScheduleMs: [20],
        limits: LIMITS,
        sender: {
          // Longer than any test takes: an attempt that times out is sent again.
          timeoutMs: 30_000,
          allowedNetworks: ['127.0.0.0/8'],
          maxConnectionsPerWebhook: 64,
        },
      },
    })
    this.engine = stack.use(new DeliveryEngine({ ...shared, lanes: this.lanes }))
  }

  static async open(threads: number, gates: Gates = {}): Promise<ThreadedEngine> {
    const stack = new AsyncDisposableStack()
    const dataDir = stack.use(new TemporaryFolder()).path
    const backend = stack.use(await openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 26 }))
    const clock = systemClock
    const inspector = new Inspector({ ...backend, clock, logger: createLogger('silent') })
    return new ThreadedEngine(backend, inspector, stack, { threads, ...gates })
  }

  async destination(id: string, url: string, limits?: WebhookLimits): Promise<void> {
    const settings = { webhooks: [{ url, headers: {}, ...(limits && { limits }) }] }
    await this.backend.catalog.putDestination(newDestination({ id, name: id, settings }))
  }

  /** Appends events as ingest does. */
  async receive(count: number): Promise<readonly AcceptedEvent[]> {
    const at = systemClock.now()
    const events = Array.from({ length: count }, () => acceptedEvent({ at }))
    await this.backend.log.append(events)
    return events
  }

  /** The number of deliveries in the database, by state. */
  async states(): Promise<Readonly<Record<string, number>>> {
    const { data } = await this.backend.deliveries.list({}, { limit: 100_000 })
    const counts: Record<string, number> = {}
    for (const { state } of data) counts[state] = (counts[state] ?? 0) + 1
    return counts
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}

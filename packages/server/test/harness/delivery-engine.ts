import type { AcceptedEvent, Destination } from '@hookline/protocol'
import pino from 'pino'
import type { Backend } from '../../src/backend/backend.ts'
import type { DeliveryHistory } from '../../src/backend/deliveries.ts'
import { openEmbeddedBackend } from '../../src/backend/embedded/open.ts'
import { AttemptRounds } from '../../src/delivery/rounds/attempt-round.ts'
import { Dispatcher, type DispatcherOptions } from '../../src/delivery/dispatcher.ts'
import { ReplayWorker } from '../../src/delivery/replays/replay-worker.ts'
import { WebhookSender, type WebhookSenderOptions } from '../../src/delivery/sending/sender.ts'
import { WebhookHealth } from '../../src/delivery/health/webhook-health.ts'
import { Acks } from '../../src/pipeline/acks.ts'
import { Pipeline } from '../../src/pipeline/pipeline.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'
import { type Clock, systemClock } from '../../src/util/clock.ts'
import { acceptedEvent, NOON } from './accepted-event.ts'
import { TemporaryFolder } from './temporary-folder.ts'

export interface EngineOptions {
  readonly limits?: Partial<DispatcherOptions['limits']>
  readonly retryDelaysMs?: readonly number[]
  readonly retryWindowMs?: number
  /** How the sender differs from one that may reach loopback. */
  readonly sender?: Partial<WebhookSenderOptions>
  /** Only what waits for a next round goes by it; sockets have the system's. */
  readonly clock?: Clock
  /** Changes the backend the engine sees, for faults. */
  readonly through?: (backend: Backend) => Backend
}

/** Pipeline, dispatcher and sender on a real database, without HTTP in front. */
export class DeliveryEngine implements AsyncDisposable {
  readonly backend: Backend
  readonly metrics = new Metrics()
  /** Every log line from `warn` on. */
  readonly logged: { readonly msg: string; readonly [field: string]: unknown }[] = []
  readonly dispatcher: Dispatcher
  readonly sender: WebhookSender
  readonly replays: ReplayWorker
  readonly #stack: AsyncDisposableStack
  readonly #clock: Clock
  readonly #stopping = new AbortController()

  private constructor(backend: Backend, stack: AsyncDisposableStack, options: EngineOptions) {
    this.backend = backend
    this.#clock = options.clock ?? systemClock
    this.#stack = stack
    const seen = options.through?.(backend) ?? backend
    const { log, catalog, events, deliveries, deletions, quarantine, upkeep } = seen
    const clock = this.#clock
    const { metrics } = this
    const write = (line: string): void => void this.logged.push(JSON.parse(line))
    const logger = pino({ level: 'warn' }, { write })
    const acks = stack.use(new Acks(log, logger))
    const sender = stack.use(
      new WebhookSender({
        clock: systemClock,
        timeoutMs: 2000,
        allowedNetworks: ['127.0.0.0/8'],
        maxConnectionsPerWebhook: 64,
        ...options.sender,
      }),
    )
    this.sender = sender
    const retryWindowMs = options.retryWindowMs ?? 60_000
    const schedule = { windowMs: retryWindowMs, delaysMs: options.retryDelaysMs ?? [20] }
    const health = new WebhookHealth(clock)
    const rounds = new AttemptRounds({ clock, sender, schedule, health })
    const limits = { maxInFlight: 512, laneConcurrency: 64, laneWindow: 256, ...options.limits }
    const shared = { catalog, deliveries, deletions, quarantine, clock, metrics, logger }
    const dispatcher = stack.use(
      new Dispatcher({ ...shared, upkeep, rounds, health, retryWindowMs, limits }),
    )
    this.dispatcher = dispatcher
    const onRequeued = (): void => dispatcher.wake()
    const { replays } = seen
    this.replays = stack.use(new ReplayWorker({ replays, clock, logger, onRequeued }))
    const pipeline = new Pipeline({
      ...shared,
      log,
      events,
      dispatcher,
      acks,
    })
    const running = pipeline.run(this.#stopping.signal)
    stack.defer(() => {
      this.#stopping.abort()
      return running
    })
    dispatcher.start()
    this.replays.wake()
  }

  /** On a folder of its own, or on one that another engine has left. */
  static async open(
    options: EngineOptions = {},
    folder?: TemporaryFolder,
  ): Promise<DeliveryEngine> {
    const stack = new AsyncDisposableStack()
    const dataDir = (folder ?? stack.use(new TemporaryFolder())).path
    const backend = stack.use(await openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 26 }))
    return new DeliveryEngine(backend, stack, options)
  }

  async destination(
    id: string,
    url: string,
    change: Partial<Destination> = {},
  ): Promise<Destination> {
    const destination: Destination = {
      id,
      sourceId: 'src_a',
      type: 'Webhooks',
      name: id,
      enabled: true,
      paused: null,
      settings: { sharedSecret: null, webhooks: [{ url, headers: {} }], successPolicy: 'any' },
      createdAt: NOON,
      updatedAt: NOON,
      version: 1,
      ...change,
    }
    await this.backend.catalog.putDestination(destination)
    return destination
  }

  /** Appends events as ingest does. */
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

  /** What a metric without labels says. */
  async gauge(name: 'breakersOpen' | 'inFlight'): Promise<number | undefined> {
    return (await this.metrics[name].get()).values[0]?.value
  }

  /** Resolves when everything that could be read and written by now has been. */
  async settled(): Promise<void> {
    for (let turns = 0; turns < 5; turns++) {
      await this.backend.probe()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Fails when the books of the dispatcher do not balance, before the stop or after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const before = this.dispatcher.imbalance
    await this.#stack.disposeAsync()
    const after = [this.dispatcher.imbalance, this.dispatcher.held]
    if (before !== 0 || after.some((count) => count !== 0)) {
      throw new Error(
        `Deliveries are unaccounted for: ${before} before the stop, ${after.join()} after it.`,
      )
    }
  }
}

import type { Carried, SuccessPolicy } from '@hookline/protocol'
import type { Logger } from '../telemetry/logger.ts'
import { type Backend, BackendUnavailable } from '../backend/backend.ts'
import type { Deletions } from '../backend/deletions.ts'
import type { DeliveryQueue, LaneId } from '../backend/deliveries.ts'
import { Dispatcher, type DispatcherOptions } from '../delivery/dispatcher.ts'
import { PauseLog } from '../delivery/health/pause-log.ts'
import type { WebhookHealth } from '../delivery/health/webhook-health.ts'
import { WebhookLog } from '../delivery/health/webhook-log.ts'
import { Attempts, type Sender } from '../delivery/parts/attempts.ts'
import { longestWaitMs } from '../delivery/parts/retry-schedule.ts'
import { Acks } from '../pipeline/acks.ts'
import { Pipeline } from '../pipeline/pipeline.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/time/clock.ts'
import { Supervisor, type WorkerGivenUp } from '../util/workers/supervisor.ts'
import type { Worker } from '../util/workers/worker.ts'

/** The ports of the backend that the engine uses. */
type EngineBackend = Pick<Backend, 'log' | 'catalog' | 'events' | 'deliveries' | 'quarantine'> & {
  readonly deletions: Pick<Deletions, 'isPurged'>
}

/** How deliveries of one kind are retried, and how many of them are in flight. */
export interface LaneSettings {
  readonly retryWindowMs: number
  /** The delays between attempts; by default those of the spec. */
  readonly retryScheduleMs?: readonly number[] | undefined
  readonly limits: DispatcherOptions['limits']
}

/** How many deliveries were lost, or ended twice, and where. All 0 unless there is a bug. */
export interface EngineImbalance {
  /** Decisions of the pipeline that are neither declined nor a delivery in the lanes. */
  readonly pipeline: number
  /** Deliveries that the lanes took, and that are neither in memory nor recorded. */
  readonly lanes: number
}

export interface DeliveryEngineOptions {
  readonly backend: EngineBackend
  readonly sender: Sender
  readonly health: WebhookHealth
  readonly settings: LaneSettings
  /** Makes the attempts of events; by default `Attempts` with `sender`. */
  readonly attempts?: Attempts
  readonly activity: ActivityListener
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  /** A worker failed five times within a minute. The process should end. */
  readonly onGiveUp: (failure: WorkerGivenUp) => void
}

/** The lanes of one kind of deliveries, and the queue that stores them. */
export interface LanesOptions extends LaneSettings {
  readonly name: DispatcherOptions['name']
  readonly deliveries: DeliveryQueue<Carried>
  readonly quarantine: DispatcherOptions['quarantine']
  readonly activity: DispatcherOptions['activity']
  readonly attempts?: Attempts
  readonly successPolicy?: SuccessPolicy
  readonly keepsEveryResponse?: boolean
}

/**
 * Delivers events from the log to the receivers. The service, the tests and the simulator all use this wiring:
 *
 *     log ─▶ pipeline ─▶ lanes of events ─▶ attempts ─▶ sender ─▶ receivers
 *      ▲                    │
 *      └──────── acks ◀─────┘ recorded or parked
 *
 * One supervisor runs the workers of the pipeline and the lanes. `openLanes` adds lanes for another kind of deliveries,
 * `supervise` adds other workers.
 */
export class DeliveryEngine implements AsyncDisposable {
  /** The lanes of events. */
  readonly lanes: Dispatcher
  readonly #options: DeliveryEngineOptions
  readonly #stopping = new AbortController()
  readonly #supervisor: Supervisor
  readonly #allLanes: Dispatcher[] = []
  readonly #webhookLog: WebhookLog
  readonly #acks: Acks
  readonly #pipeline: Pipeline

  constructor(options: DeliveryEngineOptions) {
    this.#options = options
    const { backend, settings, activity, attempts } = options
    this.#supervisor = openSupervisor(options, this.#stopping.signal)
    this.#acks = new Acks(backend.log, options.logger)
    this.#webhookLog = new WebhookLog({ ...options, catalog: backend.catalog })
    this.lanes = this.openLanes({
      name: 'deliveries',
      deliveries: backend.deliveries,
      quarantine: backend.quarantine,
      activity,
      ...settings,
      ...(attempts && { attempts }),
    })
    this.#pipeline = new Pipeline({
      ...options,
      ...backend,
      dispatcher: this.lanes,
      acks: this.#acks,
    })
    this.supervise({ name: 'pipeline', run: (signal) => this.#pipeline.run(signal) })
    this.supervise(this.#webhookLog)
    this.supervise(new PauseLog(backend.catalog, options.logger))
  }

  /** Opens lanes for another kind of deliveries and runs their workers. The engine disposes of them. */
  openLanes({ retryScheduleMs, ...options }: LanesOptions): Dispatcher {
    const { backend, sender, health, clock, metrics, logger } = this.#options
    const schedule = { windowMs: options.retryWindowMs, delaysMs: retryScheduleMs }
    const lanes = new Dispatcher({
      attempts: new Attempts({
        clock,
        sender,
        schedule,
        health,
        successPolicy: options.successPolicy,
      }),
      ...options,
      longestWaitMs: longestWaitMs(schedule),
      catalog: backend.catalog,
      deletions: backend.deletions,
      health,
      webhookLog: this.#webhookLog,
      clock,
      metrics,
      logger,
      signal: this.#stopping.signal,
    })
    this.#allLanes.push(lanes)
    for (const worker of lanes.workers) this.supervise(worker)
    return lanes
  }

  /** A person wants the next attempts on the webhook now, whatever its breaker, Retry-After and retry delays say. */
  retryNow(id: LaneId): void {
    this.#options.health.retryNow(id.destinationId, id.url)
    for (const lanes of this.#allLanes) lanes.retryNow(id)
  }

  /** As `retryNow`, and closes the breaker: what waits is delivered, one at a time at first. */
  closeBreaker(id: LaneId): void {
    this.#options.health.close(id.destinationId, id.url)
    for (const lanes of this.#allLanes) lanes.retryNow(id, { recovers: true })
  }

  /** When the attempts began that are being made of a delivery or a notice, by the URL of the webhook. */
  attemptsOf(deliveryId: string): ReadonlyMap<string, number> {
    return new Map(this.#allLanes.flatMap((lanes) => [...lanes.attemptsOf(deliveryId)]))
  }

  /** How many attempts at the webhook are in flight. */
  inFlightAt(id: LaneId): number {
    return this.#allLanes.reduce((sum, lanes) => sum + lanes.inFlightAt(id), 0)
  }

  /** Runs a worker until the engine is disposed of, and restarts it when it fails. */
  supervise(worker: Worker): void {
    this.#supervisor.run(worker)
  }

  /** The last error of each failing worker, by the name of the worker. */
  get failing(): ReadonlyMap<string, string> {
    return this.#supervisor.failing
  }

  /**
   * How long lanes have had deliveries in memory and none of them ended. An attempt takes seconds, however slow
   * its receiver.
   */
  get stillForMs(): number {
    return Math.max(...this.#allLanes.map((lanes) => lanes.stillForMs))
  }

  get imbalance(): EngineImbalance {
    const lanes = this.#allLanes.reduce((sum, each) => sum + each.imbalance, 0)
    return { pipeline: Math.abs(this.#pipeline.imbalance), lanes }
  }

  /** Begins the stop: the workers end, and no further attempt begins. Safe to call twice. */
  stop(): void {
    this.#stopping.abort()
  }

  /**
   * Ends the workers, then waits until the attempts in flight are recorded and acked. Other deliveries come again after a
   * restart.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop()
    await this.#supervisor.ended()
    await Promise.all(this.#allLanes.map((lanes) => lanes[Symbol.asyncDispose]()))
    await this.#acks[Symbol.asyncDispose]()
  }
}

/** A supervisor that logs and counts the failures of workers. */
function openSupervisor(options: DeliveryEngineOptions, signal: AbortSignal): Supervisor {
  const { clock, metrics, logger } = options
  return new Supervisor({
    clock,
    isTransient: (error) => error instanceof BackendUnavailable,
    onFailure: ({ error: err, isTransient, ...failure }) => {
      metrics.workerFailures.inc({ worker: failure.worker })
      if (isTransient) logger.warn({ err, ...failure }, 'worker.waiting')
      else logger.error({ err, ...failure }, 'worker.failed')
    },
    onGiveUp: (failure) => {
      const { worker, failures, error: err } = failure
      metrics.workerFailures.inc({ worker })
      logger.fatal({ err, worker, failures }, 'worker.given_up')
      options.onGiveUp(failure)
    },
    signal,
  })
}

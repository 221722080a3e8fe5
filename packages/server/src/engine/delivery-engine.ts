import type { Carried } from '@hookline/protocol'
import type { Logger } from 'pino'
import { type Backend, BackendUnavailable } from '../backend/backend.ts'
import type { Deletions } from '../backend/deletions.ts'
import type { DeliveryQueue } from '../backend/deliveries.ts'
import { Dispatcher, type DispatcherOptions } from '../delivery/dispatcher.ts'
import type { WebhookHealth } from '../delivery/health/webhook-health.ts'
import { AttemptRounds, type Sender } from '../delivery/rounds/attempt-round.ts'
import { Acks } from '../pipeline/acks.ts'
import { Pipeline } from '../pipeline/pipeline.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/clock.ts'
import { Supervisor, type WorkerGivenUp } from '../util/supervisor.ts'
import type { Worker } from '../util/worker.ts'

/** What the way of an event, from the log to the receivers, needs of a backend. */
type EngineBackend = Pick<Backend, 'log' | 'catalog' | 'events' | 'deliveries' | 'quarantine'> & {
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly upkeep: DispatcherOptions['upkeep']
}

/** How one kind of deliveries is retried, and how many of them are in flight. */
export interface LaneSettings {
  readonly retryWindowMs: number
  /** The pauses between attempts; `undefined` for those of the spec. */
  readonly retryScheduleMs?: readonly number[] | undefined
  readonly limits: DispatcherOptions['limits']
}

export interface DeliveryEngineOptions {
  readonly backend: EngineBackend
  readonly sender: Sender
  readonly health: WebhookHealth
  readonly settings: LaneSettings
  /** What makes the rounds of events, in place of `AttemptRounds` with this sender. */
  readonly rounds?: AttemptRounds
  readonly activity: ActivityListener
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  /** A worker failed five times within a minute: the process should end. */
  readonly onGiveUp: (failure: WorkerGivenUp) => void
}

/** The lanes of one kind of deliveries, and where these are kept. */
export interface LanesOptions extends LaneSettings {
  readonly name: DispatcherOptions['name']
  readonly deliveries: DeliveryQueue<Carried>
  readonly quarantine: DispatcherOptions['quarantine']
  readonly upkeep: DispatcherOptions['upkeep']
  readonly activity: DispatcherOptions['activity']
  readonly rounds?: AttemptRounds
  readonly keepsEveryAnswer?: boolean
}

/**
 * The way of events from the log to the receivers, wired once. The service, the tests and the simulator all open it:
 *
 *     log ─▶ pipeline ─▶ lanes of events ─▶ rounds ─▶ sender ─▶ receivers
 *      ▲                    │
 *      └──────── acks ◀─────┘ recorded or parked
 *
 * Pipeline and lanes have workers, which one supervisor runs. `openLanes` adds lanes of another kind, `supervise` adds
 * other workers.
 */
export class DeliveryEngine implements AsyncDisposable {
  /** The lanes of events. */
  readonly lanes: Dispatcher
  readonly #options: DeliveryEngineOptions
  readonly #stopping = new AbortController()
  readonly #supervisor: Supervisor
  readonly #allLanes: Dispatcher[] = []
  readonly #acks: Acks

  constructor(options: DeliveryEngineOptions) {
    this.#options = options
    const { backend, settings, activity, rounds, metrics, logger } = options
    this.#supervisor = new Supervisor({
      clock: options.clock,
      isTransient: (error) => error instanceof BackendUnavailable,
      onFailure: ({ error: err, isTransient, ...failure }) => {
        metrics.workerFailures.inc({ worker: failure.worker })
        logger[isTransient ? 'warn' : 'error']({ err, ...failure }, 'worker.failed')
      },
      onGiveUp: (failure) => {
        const { worker, failures, error: err } = failure
        metrics.workerFailures.inc({ worker })
        logger.fatal({ err, worker, failures }, 'worker.given_up')
        options.onGiveUp(failure)
      },
      signal: this.#stopping.signal,
    })
    this.#acks = new Acks(backend.log, logger)
    const kept = { deliveries: backend.deliveries, quarantine: backend.quarantine }
    const { upkeep } = backend
    const made = rounds && { rounds }
    this.lanes = this.openLanes({
      name: 'deliveries',
      ...kept,
      upkeep,
      activity,
      ...settings,
      ...made,
    })
    const pipeline = new Pipeline({
      ...options,
      ...backend,
      dispatcher: this.lanes,
      acks: this.#acks,
    })
    this.supervise({ name: 'pipeline', run: (signal) => pipeline.run(signal) })
  }

  /** Opens lanes of another kind and runs their workers. The engine closes them. */
  openLanes({ retryScheduleMs, ...options }: LanesOptions): Dispatcher {
    const { backend, sender, health, clock, metrics, logger } = this.#options
    const schedule = { windowMs: options.retryWindowMs, delaysMs: retryScheduleMs }
    const lanes = new Dispatcher({
      rounds: new AttemptRounds({ clock, sender, schedule, health }),
      ...options,
      catalog: backend.catalog,
      deletions: backend.deletions,
      health,
      clock,
      metrics,
      logger,
      signal: this.#stopping.signal,
    })
    this.#allLanes.push(lanes)
    for (const worker of lanes.workers) this.supervise(worker)
    return lanes
  }

  /** Runs a worker until the engine is disposed of, and starts it again when it fails. */
  supervise(worker: Worker): void {
    this.#supervisor.run(worker)
  }

  /** What each failing worker failed with last, by its name. */
  get failing(): ReadonlyMap<string, string> {
    return this.#supervisor.failing
  }

  /** How long some lanes have had deliveries in memory of which none ended. A round takes seconds, however slow its receiver. */
  get stillForMs(): number {
    return Math.max(...this.#allLanes.map((lanes) => lanes.stillForMs))
  }

  /** Deliveries taken on and then lost, or ended twice: 0 unless there is a bug. */
  get imbalance(): number {
    return this.#allLanes.reduce((sum, lanes) => sum + lanes.imbalance, 0)
  }

  /** Workers end, then rounds in flight end and are recorded and acked. What was not begun comes again after a restart. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#supervisor.ended()
    await Promise.all(this.#allLanes.map((lanes) => lanes[Symbol.asyncDispose]()))
    await this.#acks[Symbol.asyncDispose]()
  }
}

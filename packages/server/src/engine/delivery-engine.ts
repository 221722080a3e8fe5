import type { Logger } from '../telemetry/logger.ts'
import type { Backend } from '../backend/backend.ts'
import { SplitWorker } from '../delivery/parking/split-worker.ts'
import { Pipeline } from '../pipeline/pipeline.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Supervisor } from '../util/workers/supervisor.ts'
import type { Worker } from '../util/workers/worker.ts'
import { type LanePorts, NOTICE_POLICY, noticeActivity } from './lane-group.ts'
import type { Lanes, LanesStatus } from './lanes.ts'
import { openSupervisor, type SupervisionOptions } from './supervision.ts'

interface EngineStatus extends Omit<LanesStatus, 'imbalance'> {
  /** Deliveries lost or ended twice, in the pipeline and in the lanes. 0 unless there is a bug. */
  readonly imbalance: { readonly pipeline: number; readonly lanes: number }
}

export interface DeliveryEngineOptions extends SupervisionOptions {
  readonly backend: LanePorts & Pick<Backend, 'log' | 'events' | 'deliveries' | 'catalog'>
  readonly lanes: Lanes
  readonly activity: ActivityListener
  readonly logger: Logger
}

/**
 * Delivers events from the log to the receivers:
 *
 *     log ─▶ pipeline ─▶ lanes ─▶ receivers        replays, manual retries, new notices ─▶ parts ─▶ lanes
 *      ▲                   │
 *      └──────── acks ◀────┘ recorded or parked
 *
 * One supervisor runs the workers outside of the lanes, and any added by `supervise`.
 */
export class DeliveryEngine implements AsyncDisposable {
  readonly lanes: Lanes
  readonly #options: DeliveryEngineOptions
  readonly #stopping = new AbortController()
  readonly #supervisor: Supervisor
  readonly #pipeline: Pipeline
  readonly #splitWorkers: readonly SplitWorker[]

  constructor(options: DeliveryEngineOptions) {
    this.#options = options
    const { backend, lanes } = options
    this.lanes = lanes
    this.#supervisor = openSupervisor(options, this.#stopping.signal)
    this.#pipeline = new Pipeline({
      ...options,
      ...backend,
      dispatcher: lanes,
      signal: this.#stopping.signal,
    })
    this.#splitWorkers = this.#openSplitWorkers()
    this.supervise({ name: 'pipeline', run: (signal) => this.#pipeline.run(signal) })
    for (const worker of this.#splitWorkers) this.supervise(worker)
  }

  /** Claims due deliveries and notices immediately. Call it after a replay, a manual retry, or a new notice. */
  wake(): void {
    for (const worker of this.#splitWorkers) worker.wake()
    this.lanes.wake()
  }

  supervise(worker: Worker): void {
    this.#supervisor.run(worker)
  }

  get imbalance(): number {
    return this.#pipeline.imbalance
  }

  async status(): Promise<EngineStatus> {
    const { failing, imbalance, ...lanes } = await this.lanes.status()
    return {
      ...lanes,
      failing: new Map([...this.#supervisor.failing, ...failing]),
      imbalance: { pipeline: Math.abs(this.imbalance), lanes: imbalance },
    }
  }

  stop(): void {
    this.#stopping.abort()
    this.lanes.stop()
  }

  /** Waits until the attempts in flight are recorded and acked. Other deliveries are redelivered after a restart. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop()
    await this.#supervisor.ended()
    await this.lanes[Symbol.asyncDispose]()
    await this.#pipeline[Symbol.asyncDispose]()
  }

  #openSplitWorkers(): readonly SplitWorker[] {
    const { backend, lanes, activity } = this.#options
    const shared = {
      ...this.#options,
      ...backend,
      onSplit: () => lanes.wake(),
      signal: this.#stopping.signal,
    }
    return [
      new SplitWorker({ ...shared, name: 'deliveries' }),
      new SplitWorker({
        ...shared,
        name: 'notices',
        deliveries: backend.noticeQueue,
        quarantine: backend.noticeQueue,
        activity: noticeActivity(activity),
        successPolicy: NOTICE_POLICY,
      }),
    ]
  }
}

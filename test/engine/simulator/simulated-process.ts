import { createLogger } from '@hookline/server'
import type { WebhookHealth } from '../../../packages/server/src/delivery/health/webhook-health.ts'
import type { Attempts, Sender } from '../../../packages/server/src/delivery/parts/attempts.ts'
import { DeliveryEngine } from '../../../packages/server/src/engine/delivery-engine.ts'
import { LaneGroup, type LaneSettings } from '../../../packages/server/src/engine/lane-group.ts'
import { Metrics } from '../../../packages/server/src/telemetry/metrics.ts'
import type { Clock } from '../../../packages/server/src/util/time/clock.ts'
import { NO_ACTIVITY } from '../../../packages/server/test/harness/no-activity.ts'
import type { WorkerGivenUp } from '../../../packages/server/src/util/workers/supervisor.ts'
import type { SimulatedBackend } from './backend/memory-backend.ts'

export interface ProcessOptions extends Pick<LaneSettings, 'limits' | 'retryWindowMs'> {
  readonly clock: Clock
  readonly backend: SimulatedBackend
  readonly sender: Sender
  readonly attempts?: Attempts
  readonly health: WebhookHealth
  /** Called for an error that only a bug can cause. */
  readonly onBug: (line: string) => void
}

// One instance for all simulated processes: it observes the garbage collector of this real process.
const metrics = new Metrics()

/** The delivery engine of the service in a simulated process, which the simulation can kill. */
export class SimulatedProcess implements AsyncDisposable {
  readonly backend: SimulatedBackend
  readonly #engine: DeliveryEngine
  readonly #lanes: LaneGroup

  constructor({ onBug, limits, retryWindowMs, sender, ...options }: ProcessOptions) {
    this.backend = options.backend
    const shared = {
      ...options,
      activity: NO_ACTIVITY,
      metrics,
      logger: createLogger('error', { write: onBug }),
      onGiveUp: ({ worker }: WorkerGivenUp) => onBug(`${worker} was given up`),
    }
    this.#lanes = new LaneGroup({
      ...shared,
      settings: { limits, retryWindowMs },
      sender: {
        send: (request) => sender.send(request),
        // A simulation has no connections.
        abort: () => undefined,
        [Symbol.asyncDispose]: async () => undefined,
      },
    })
    this.#engine = new DeliveryEngine({ ...shared, lanes: this.#lanes })
  }

  /** Deliveries that the engine has lost, or ended twice. */
  get imbalance(): number {
    return Math.abs(this.#engine.imbalance) + this.#lanes.current.imbalance
  }

  /** Parts of deliveries that the engine has in lanes. */
  get inMemory(): number {
    return this.#lanes.current.inMemory
  }

  /** Stops gracefully. Resolves only while the clock continues. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine[Symbol.asyncDispose]()
    await this.backend[Symbol.asyncDispose]()
  }
}

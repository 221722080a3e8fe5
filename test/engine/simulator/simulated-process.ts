import { createLogger } from '@hookline/server'
import type { WebhookHealth } from '../../../packages/server/src/delivery/health/webhook-health.ts'
import type { Attempts, Sender } from '../../../packages/server/src/delivery/parts/attempts.ts'
import {
  DeliveryEngine,
  type LaneSettings,
} from '../../../packages/server/src/engine/delivery-engine.ts'
import { Metrics } from '../../../packages/server/src/telemetry/metrics.ts'
import type { Clock } from '../../../packages/server/src/util/time/clock.ts'
import { NO_ACTIVITY } from '../../../packages/server/test/harness/no-activity.ts'
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

  constructor({ onBug, limits, retryWindowMs, ...options }: ProcessOptions) {
    this.backend = options.backend
    this.#engine = new DeliveryEngine({
      ...options,
      settings: { limits, retryWindowMs },
      activity: NO_ACTIVITY,
      metrics,
      logger: createLogger('error', { write: onBug }),
      onGiveUp: ({ worker }) => onBug(`${worker} was given up`),
    })
  }

  /** Deliveries that the engine has lost, or ended twice. */
  get imbalance(): number {
    const { pipeline, lanes } = this.#engine.imbalance
    return pipeline + lanes
  }

  /** Parts of deliveries that the engine has in lanes. */
  get inMemory(): number {
    return this.#engine.lanes.inMemory
  }

  /** Stops gracefully. Resolves only while the clock continues. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine[Symbol.asyncDispose]()
    await this.backend[Symbol.asyncDispose]()
  }
}

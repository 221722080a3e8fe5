import type { AttemptRounds } from '../../../packages/server/src/delivery/rounds/attempt-round.ts'
import {
  Dispatcher,
  type DispatcherOptions,
} from '../../../packages/server/src/delivery/dispatcher.ts'
import type { WebhookHealth } from '../../../packages/server/src/delivery/health/webhook-health.ts'
import { Acks } from '../../../packages/server/src/pipeline/acks.ts'
import { Pipeline } from '../../../packages/server/src/pipeline/pipeline.ts'
import { createLogger } from '@hookline/server'
import { Metrics } from '../../../packages/server/src/telemetry/metrics.ts'
import type { Clock } from '../../../packages/server/src/util/clock.ts'
import type { SimulatedBackend } from './backend/memory-backend.ts'

export interface ProcessOptions {
  readonly clock: Clock
  readonly backend: SimulatedBackend
  readonly rounds: AttemptRounds
  readonly health: WebhookHealth
  readonly limits: DispatcherOptions['limits']
  readonly retryWindowMs: number
  /** Hears what only a bug can cause. */
  readonly onBug: (line: string) => void
}

// One for all: it watches the garbage collector of the process, which is the same for all.
const metrics = new Metrics()

/** The engine as service.ts wires it, from the log to the sender, in a process that a simulation can kill. */
export class SimulatedProcess implements AsyncDisposable {
  readonly backend: SimulatedBackend
  readonly #stack = new AsyncDisposableStack()
  readonly #dispatcher: Dispatcher

  constructor({ backend, rounds, health, onBug, ...options }: ProcessOptions) {
    this.backend = backend
    const { log, catalog, events, deliveries, quarantine, deletions, upkeep } = backend
    const logger = createLogger('error', { write: onBug })
    this.#stack.use(backend)
    const acks = this.#stack.use(new Acks(log, logger))
    const shared = { ...options, catalog, deliveries, quarantine, deletions, metrics, logger }
    const dispatcher = this.#stack.use(new Dispatcher({ ...shared, upkeep, rounds, health }))
    const pipeline = new Pipeline({ ...shared, log, events, dispatcher, acks })
    this.#dispatcher = dispatcher
    const stopping = new AbortController()
    const running = pipeline.run(stopping.signal).catch((error: unknown) => {
      onBug(`The pipeline has failed: ${String(error)}`)
    })
    this.#stack.defer(() => {
      stopping.abort()
      return running
    })
    dispatcher.start()
  }

  /** Deliveries that the engine took and cannot account for. */
  get imbalance(): number {
    return this.#dispatcher.imbalance
  }

  /** Deliveries that it has in memory. */
  get held(): number {
    return this.#dispatcher.held
  }

  /** Stops gracefully. Resolves only as the clock goes on. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}

import { createLogger } from '@hookline/server'
import type { WebhookHealth } from '../../../packages/server/src/delivery/health/webhook-health.ts'
import type { Attempts, Sender } from '../../../packages/server/src/delivery/parts/attempts.ts'
import { DeliveryEngine } from '../../../packages/server/src/engine/delivery-engine.ts'
import { LaneGroup, type LaneSettings } from '../../../packages/server/src/engine/lane-group.ts'
import { LaneThreads } from '../../../packages/server/src/engine/lane-threads/lane-threads.ts'
import type { Lanes } from '../../../packages/server/src/engine/lanes.ts'
import { Metrics } from '../../../packages/server/src/telemetry/metrics.ts'
import type { Clock } from '../../../packages/server/src/util/time/clock.ts'
import { NO_ACTIVITY } from '@hookline/testing/engine/no-activity'
import type { FailedWorker } from '../../../packages/server/src/util/workers/supervisor.ts'
import type { SimulatedBackend } from './backend/memory-backend.ts'
import { KILLED } from './simulated-thread.ts'
import type { SimulatedThreads } from './simulated-threads.ts'

export interface ProcessOptions extends Pick<LaneSettings, 'limits' | 'retryWindowMs'> {
  readonly clock: Clock
  readonly backend: SimulatedBackend
  readonly sender: Sender
  readonly attempts?: Attempts
  readonly health: WebhookHealth
  /** The threads for lanes, each with its own sender, attempts and health. */
  readonly threads?: SimulatedThreads | undefined
  /** Called for errors that only bugs can cause. */
  readonly onBug: (line: string) => void
}

// Shared by all simulated processes without threads, because it observes the garbage collector of the real process.
const metricsOfAll = new Metrics()

/** Far longer than an attempt and its record take. */
const STOP_TIMEOUT_MS = 60_000

type Shared = Omit<ProcessOptions, 'onBug' | 'limits' | 'retryWindowMs' | 'sender'> &
  Omit<ConstructorParameters<typeof DeliveryEngine>[0], 'lanes'>

/** The delivery engine of the service in a simulated process that can be killed. */
export class SimulatedProcess implements AsyncDisposable {
  readonly backend: SimulatedBackend
  readonly #engine: DeliveryEngine
  /** The running groups. */
  readonly #groups: OpenedLanes['groups']

  constructor({ onBug, limits, retryWindowMs, sender, ...options }: ProcessOptions) {
    this.backend = options.backend
    const shared = {
      ...options,
      activity: NO_ACTIVITY,
      // Separate, because main reads the metrics of its threads, and a shared instance would retain the threads of every process.
      metrics: options.threads ? new Metrics(1, { ofProcess: false }) : metricsOfAll,
      logger: createLogger('error', { write: (line) => !isOfKill(line) && onBug(line) }),
      onPermanentFailure: ({ worker }: FailedWorker) => onBug(`${worker} failed permanently`),
    }
    const settings = { limits, retryWindowMs }
    const { lanes, groups } = options.threads
      ? lanesInThreads(shared, settings, options.threads)
      : lanesInProcess(shared, settings, sender)
    this.#groups = groups
    this.#engine = new DeliveryEngine({ ...shared, lanes })
  }

  /** The number of deliveries that the engine has lost or finished twice. */
  get imbalance(): number {
    return this.#sum(({ imbalance }) => imbalance) + Math.abs(this.#engine.imbalance)
  }

  /** The number of parts in lanes. */
  get inMemory(): number {
    return this.#sum(({ inMemory }) => inMemory)
  }

  /** Stops gracefully. Resolves only while the clock continues. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine[Symbol.asyncDispose]()
    await this.backend[Symbol.asyncDispose]()
  }

  #sum(count: (status: LaneGroup['current']) => number): number {
    return this.#groups().reduce((sum, { current }) => sum + count(current), 0)
  }
}

interface OpenedLanes {
  readonly lanes: Lanes
  /** The running groups. */
  readonly groups: () => readonly LaneGroup[]
}

function lanesInProcess(shared: Shared, settings: LaneSettings, sender: Sender): OpenedLanes {
  const group = new LaneGroup({ ...shared, settings, sender: groupSender(sender) })
  return { lanes: group, groups: () => [group] }
}

/** The sender of a group of lanes. */
export function groupSender(sender: Sender): ConstructorParameters<typeof LaneGroup>[0]['sender'] {
  return {
    send: (request) => sender.send(request),
    // A simulation has no connections.
    abort: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  }
}

function lanesInThreads(
  shared: Shared,
  settings: LaneSettings,
  threads: SimulatedThreads,
): OpenedLanes {
  const lanes = new LaneThreads({
    ...shared,
    settings: {
      ...settings,
      sender: { timeoutMs: 0, allowedNetworks: [], maxConnectionsPerWebhook: 0 },
    },
    threads: threads.count,
    continuesTraces: false,
    openThread: (thread) => threads.open(thread),
    module: new URL(import.meta.url),
    inspector: {
      receive: () => Promise.reject(new Error('No destination has the inspector.')),
      responded: () => undefined,
    },
    stopTimeoutMs: STOP_TIMEOUT_MS,
  })
  return { lanes, groups: () => threads.lanes.map(({ group }) => group) }
}

/** Whether the log line reports the exit of a thread that the scenario killed. */
function isOfKill(line: string): boolean {
  const { msg, err } = JSON.parse(line) as {
    readonly msg: string
    readonly err?: { readonly message: string }
  }
  return msg === 'thread.failed' && err?.message === KILLED
}

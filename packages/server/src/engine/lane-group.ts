import { type Delivery, type DeliveryContent, type LaneState, LIMITS } from '@hookline/protocol'
import type { Backend } from '../backend/backend.ts'
import type { FollowedCatalog } from '../backend/catalog.ts'
import type { Deletions } from '../backend/deletions.ts'
import type { DeliveryQueue, LaneId, LaneCommand } from '../backend/deliveries.ts'
import type { Quarantine } from '../backend/quarantine.ts'
import { Dispatcher, type DispatcherOptions, type FreshDelivery } from '../delivery/dispatcher.ts'
import { WebhookHealth, webhookStates } from '../delivery/health/webhook-health.ts'
import { WebhookLog } from '../delivery/health/webhook-log.ts'
import { Transforms } from '../delivery/transforms/transforms.ts'
import { Attempts, type AttemptsOptions, type Sender } from '../delivery/parts/attempts.ts'
import { HistoryBudget } from '../delivery/records/history-budget.ts'
import type { RetrySchedule } from '../delivery/parts/parts.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import type { Supervisor } from '../util/workers/supervisor.ts'
import type { Lanes, LanesStatus } from './lanes.ts'
import { connectPeers, type Peers } from './peers.ts'
import { openSupervisor, type SupervisionOptions } from './supervision.ts'
import { WebhookSender, type WebhookSenderOptions } from '../delivery/sending/sender.ts'
import type { Clock } from '../util/time/clock.ts'
import { Redacted } from '../util/secrets/redacted.ts'

export interface LaneSettings {
  readonly retryWindowMs: number
  /** Delays between attempts; exponential by default. */
  readonly retryScheduleMs?: readonly number[] | undefined
  readonly limits: DispatcherOptions['limits']
}

export interface LanePorts extends Pick<Backend, 'quarantine'> {
  readonly catalog: FollowedCatalog
  readonly deliveries: DeliveryQueue
  readonly noticeQueue: DeliveryQueue<DeliveryContent> & Quarantine
  readonly deletions: Pick<Deletions, 'isPurged'>
}

interface GroupSender extends Sender, AsyncDisposable {
  /** Aborts the attempts in flight, and refuses new ones. */
  abort(): void
}

export interface LaneGroupOptions extends SupervisionOptions {
  readonly backend: LanePorts
  readonly settings: LaneSettings
  readonly sender: GroupSender
  readonly health: WebhookHealth
  /** Makes the attempts for events; defaults to `Attempts` with `sender`. */
  readonly attempts?: Attempts
  /** Whether this group has the lanes of a destination; by default all. */
  readonly owns?: (destinationId: string) => boolean
  readonly activity: Pick<ActivityListener, 'recorded' | 'updated'>
  readonly peers?: Peers | undefined
  /** Absent in simulations. */
  readonly tracing?: Tracing | undefined
}

/** The options that differ between lanes of events and of notices. */
type LaneKind = Omit<
  DispatcherOptions,
  keyof Omit<LaneGroupOptions, 'activity'> | 'catalog' | 'deletions' | 'webhookLog' | 'signal'
>

/** The lanes of some destinations, for events and notices, with their own workers. Can run in a thread. */
export class LaneGroup implements Lanes {
  readonly #options: LaneGroupOptions
  readonly #stopping = new AbortController()
  readonly #supervisor: Supervisor
  readonly #webhookLog: WebhookLog
  readonly #ofEvents: Dispatcher
  readonly #all: readonly Dispatcher[]
  readonly #transforms = new Transforms()
  readonly #disconnect: (() => void) | undefined

  constructor(options: LaneGroupOptions) {
    this.#options = options
    this.#supervisor = openSupervisor(options, this.#stopping.signal)
    this.#webhookLog = new WebhookLog({ ...options, catalog: options.backend.catalog })
    this.#ofEvents = this.#lanesOfEvents()
    this.#all = [this.#ofEvents, this.#lanesOfNotices()]
    for (const worker of this.#all.flatMap(({ workers }) => workers)) this.#supervisor.run(worker)
    this.#supervisor.run(this.#webhookLog)
    this.#disconnect = this.#connect()
  }

  get current(): LanesStatus {
    const { health, backend } = this.#options
    const sum = (count: (lanes: Dispatcher) => number): number =>
      this.#all.reduce((total, lanes) => total + count(lanes), 0)
    return {
      stalledMs: Math.max(...this.#all.map(({ stalledMs }) => stalledMs)),
      inMemory: sum(({ inMemory }) => inMemory),
      unrecorded: sum(({ unrecorded }) => unrecorded),
      imbalance: sum(({ imbalance }) => imbalance),
      openBreakers: health.openBreakers(backend.catalog.current.destinations.values()),
      failing: new Map(this.#supervisor.failing),
    }
  }

  async status(): Promise<LanesStatus> {
    return this.current
  }

  deliver(delivery: FreshDelivery): void {
    this.#ofEvents.deliver(delivery)
  }

  get accepted(): number {
    return this.#ofEvents.accepted
  }

  get unrecorded(): number {
    return this.#ofEvents.unrecorded
  }

  ready(): Promise<void> {
    return this.#ofEvents.ready()
  }

  wake(): void {
    for (const lanes of this.#all) lanes.wake()
  }

  async states(
    destinationIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly LaneState[]>> {
    const { backend, health, clock } = this.#options
    const { destinations } = backend.catalog.current
    const known = destinationIds.flatMap((id) => destinations.get(id) ?? [])
    return new Map(
      known.map((destination) => [
        destination.id,
        webhookStates(destination, health, clock.now()).map((state) => ({
          ...state,
          inFlight: this.#inFlightAt({ destinationId: destination.id, url: state.url }),
        })),
      ]),
    )
  }

  async attemptsOf(
    deliveries: readonly Pick<Delivery, 'id'>[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
    const attempts = new Map<string, ReadonlyMap<string, number>>()
    for (const { id } of deliveries) {
      const begun = new Map(this.#all.flatMap((lanes) => [...lanes.attemptsOf(id)]))
      if (begun.size > 0) attempts.set(id, begun)
    }
    return attempts
  }

  async command({ command, webhooks }: LaneCommand): Promise<void> {
    const { health } = this.#options
    const recovers = command === 'closeBreakers'
    for (const id of webhooks) {
      if (recovers) health.close(id.destinationId, id.url)
      else health.retryNow(id.destinationId, id.url)
      if (command === 'allowNow') continue
      for (const lanes of this.#all) lanes.retryNow(id, { recovers })
    }
  }

  stop(): void {
    this.#stopping.abort()
  }

  abort(): void {
    this.#options.sender.abort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop()
    await this.#transforms[Symbol.asyncDispose]()
    this.#disconnect?.()
    await this.#supervisor.ended()
    await Promise.all(this.#all.map((lanes) => lanes[Symbol.asyncDispose]()))
    await this.#options.sender[Symbol.asyncDispose]()
  }

  #lanesOfEvents(): Dispatcher {
    const { backend, settings, activity, attempts, clock, metrics } = this.#options
    const { deliveries, quarantine } = backend
    const schedule = this.#schedule(settings.retryWindowMs)
    const kind = { deliveries, quarantine, activity, schedule, limits: settings.limits }
    const history = new HistoryBudget(clock, metrics.historyBodiesDropped)
    const own = { transforms: this.#transforms, history }
    return this.#open({ name: 'deliveries', ...kind }, attempts, own)
  }

  #lanesOfNotices(): Dispatcher {
    const { backend, activity } = this.#options
    return this.#open({
      name: 'notices',
      deliveries: backend.noticeQueue,
      quarantine: backend.noticeQueue,
      activity: noticeActivity(activity),
      schedule: { ...this.#schedule(LIMITS.noticeRetryWindowMs), isWindowFixed: true },
      limits: NOTICE_LIMITS,
      successPolicy: NOTICE_POLICY,
    })
  }

  #open(
    kind: LaneKind,
    attempts?: Attempts,
    own?: Pick<AttemptsOptions, 'transforms' | 'history'>,
  ): Dispatcher {
    const { backend } = this.#options
    return new Dispatcher({
      ...this.#options,
      ...kind,
      attempts: attempts ?? new Attempts({ ...this.#options, ...kind, ...own }),
      catalog: backend.catalog,
      deletions: backend.deletions,
      webhookLog: this.#webhookLog,
      signal: this.#stopping.signal,
    })
  }

  #schedule(windowMs: number): RetrySchedule {
    return { windowMs, delaysMs: this.#options.settings.retryScheduleMs }
  }

  #connect(): (() => void) | undefined {
    const { peers, health, backend } = this.#options
    if (peers === undefined) return undefined
    return connectPeers({
      ...peers,
      health,
      catalog: backend.catalog,
      onDivision: (division) => this.#all.forEach((lanes) => lanes.divide(division)),
      onRecovery: (id) => this.#all.forEach((lanes) => lanes.recover(id)),
    })
  }

  #inFlightAt(id: LaneId): number {
    return this.#all.reduce((sum, lanes) => sum + lanes.inFlightAt(id), 0)
  }
}

export interface SenderSettings extends Omit<
  WebhookSenderOptions,
  'clock' | 'inspector' | 'egressProxy'
> {
  /** The URL of an HTTP proxy for all connections. It may contain a password. */
  readonly egressProxy?: string | undefined
}

export interface LaneGroupSettings extends LaneSettings {
  readonly sender: SenderSettings
}

type OpenOptions = Omit<LaneGroupOptions, 'settings' | 'sender' | 'health' | 'attempts'> &
  Pick<WebhookSenderOptions, 'inspector'> & { readonly settings: LaneGroupSettings }

export function openLaneGroup({ inspector, ...options }: OpenOptions): LaneGroup {
  const { clock, settings } = options
  const { retryScheduleMs } = settings
  // A breaker stays open for at most the longest wait between two attempts.
  const maxOpenMs = retryScheduleMs && Math.max(...retryScheduleMs)
  return new LaneGroup({
    ...options,
    sender: openSender(settings.sender, { clock, inspector }),
    health: new WebhookHealth(clock, { maxOpenMs }),
  })
}

export function openSender(
  { egressProxy, ...settings }: SenderSettings,
  others: { readonly clock: Clock; readonly inspector?: WebhookSenderOptions['inspector'] },
): WebhookSender {
  const proxy = egressProxy === undefined ? {} : { egressProxy: new Redacted(egressProxy) }
  return new WebhookSender({ ...settings, ...others, ...proxy })
}

/** Notices have their own slots, so they never wait for events. */
export const NOTICE_LIMITS = {
  maxInFlight: 16,
  maxConcurrencyPerWebhook: 4,
  webhookQueueSize: 64,
  maxInMemory: 4_096,
}

/** The success policy of notices: every webhook may have the user's data. */
export const NOTICE_POLICY = 'each'

/** Statistics and health count events only, so notices are reported as changes to deletions. */
export function noticeActivity(
  activity: Pick<ActivityListener, 'updated'>,
): Pick<ActivityListener, 'recorded'> {
  return {
    recorded: ({ isEnd }) => {
      if (isEnd) activity.updated({ resource: 'deletions', id: null })
    },
  }
}

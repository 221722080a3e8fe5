import type { Delivery, LaneState } from '@hookline/protocol'
import type { LaneId, LaneCommand, WebhookLanes } from '../backend/deliveries.ts'
import type { Signals } from '../backend/signals.ts'
import type { Clock } from '../util/time/clock.ts'
import type { FollowedCatalog } from '../backend/catalog.ts'
import { hasDeliveryRole, type Nodes } from '../backend/nodes.ts'
import type {
  BreakerChange,
  PauseChange,
  WebhookHealth,
} from '../delivery/health/webhook-health.ts'
import { type LaneDivision, UNDIVIDED } from '../delivery/lanes/lane-scheduler.ts'

export interface SharedLanesOptions {
  readonly lanes: WebhookLanes
  readonly signals: Pick<Signals, 'request' | 'onRequest' | 'publish' | 'onMessage'>
  readonly clock: Clock
}

type LanesQuery =
  | { readonly states: readonly string[] }
  | { readonly attempts: readonly Pick<Delivery, 'id' | 'destinationId'>[] }

interface States {
  readonly states: readonly (readonly [string, readonly LaneState[]])[]
}

/** By delivery: the URL and elapsed time of each attempt in progress. */
interface AttemptsInFlight {
  readonly attempts: readonly (readonly [string, readonly (readonly [string, number])[]])[]
}

/** The lanes of all nodes for the management API: queries and commands go to every node. */
export class SharedLanes implements WebhookLanes {
  readonly #options: SharedLanesOptions

  constructor(options: SharedLanesOptions) {
    this.#options = options
    options.signals.onRequest('lanes', (query) => this.#respond(query as LanesQuery))
    options.signals.onMessage('lanes', (command) => {
      void options.lanes.command(command as LaneCommand)
    })
  }

  async states(
    destinationIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly LaneState[]>> {
    const { lanes, clock } = this.#options
    const [own, others] = await Promise.all([
      lanes.states(destinationIds),
      this.#query<States>({ states: destinationIds }),
    ])
    const merged = new Map(own)
    const now = clock.now()
    for (const [id, reported] of others.flatMap(({ states }) => states)) {
      const states = merged.get(id) ?? []
      merged.set(
        id,
        states.map((state) => mergedState(state, reported, now)),
      )
    }
    return merged
  }

  async attemptsOf(
    deliveries: readonly Pick<Delivery, 'id' | 'destinationId'>[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
    const requested = deliveries.map(({ id, destinationId }) => ({ id, destinationId }))
    const [own, others] = await Promise.all([
      this.#options.lanes.attemptsOf(requested),
      this.#query<AttemptsInFlight>({ attempts: requested }),
    ])
    const now = this.#options.clock.wall()
    const all = new Map([...own].map(([id, begun]) => [id, new Map(begun)]))
    for (const [id, begun] of others.flatMap(({ attempts }) => attempts)) {
      const known = all.get(id) ?? new Map<string, number>()
      for (const [url, forMs] of begun) known.set(url, now - forMs)
      all.set(id, known)
    }
    return all
  }

  async command(command: LaneCommand): Promise<void> {
    this.#options.signals.publish('lanes', command)
    await this.#options.lanes.command(command)
  }

  async #query<Result>(query: LanesQuery): Promise<readonly Result[]> {
    return (await this.#options.signals.request('lanes', query)) as readonly Result[]
  }

  async #respond(query: LanesQuery): Promise<States | AttemptsInFlight> {
    const { lanes, clock } = this.#options
    if ('states' in query) {
      const states = await lanes.states(query.states)
      const now = clock.now()
      return {
        states: [...states].map(([id, each]) => [id, each.map((state) => shiftLane(state, -now))]),
      }
    }
    const attempts = await lanes.attemptsOf(query.attempts)
    const now = clock.wall()
    return {
      attempts: [...attempts].map(([id, begun]) => [
        id,
        [...begun].map(([url, at]) => [url, now - at] as const),
      ]),
    }
  }
}

/** Moves times by `ms`: clocks differ, so nodes exchange durations. A node of another version may omit one. */
function shiftLane(state: LaneState, ms: number): LaneState {
  const moved = (at: number | null | undefined): number | null => (at == null ? null : at + ms)
  return {
    ...state,
    brokenSince: moved(state.brokenSince),
    openUntil: moved(state.openUntil),
    retryAfterUntil: moved(state.retryAfterUntil),
  }
}

/** An open breaker takes precedence over a half-open one. If both are open, the earlier end counts: nodes share a probe's result. */
function mergedState(own: LaneState, reported: readonly LaneState[], now: number): LaneState {
  const peer = reported.find(({ url }) => url === own.url)
  if (peer === undefined) return own
  const other = shiftLane(peer, now)
  const breakers = [own.breaker, other.breaker]
  const breaker = (['open', 'half_open'] as const).find((each) => breakers.includes(each))
  return {
    ...own,
    breaker: breaker ?? 'closed',
    brokenSince: earliest(own.brokenSince, other.brokenSince),
    openUntil: earliest(own.openUntil, other.openUntil),
    retryAfterUntil: latest(own.retryAfterUntil, other.retryAfterUntil),
    pacePerSecond: total(own.pacePerSecond, other.pacePerSecond),
    inFlight: own.inFlight + other.inFlight,
  }
}

function earliest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

/** The pace of the whole service: the sum, because each node learns its own. */
function total(a: number | null, b: number | null | undefined): number | null {
  return a == null || b == null ? (a ?? b ?? null) : a + b
}

export interface Peers {
  readonly nodes: Pick<Nodes, 'id' | 'current' | 'onChange'>
  readonly signals: Pick<Signals, 'request' | 'onRequest' | 'publish' | 'onMessage'>
}

export interface PeeredLanesOptions extends Peers {
  readonly catalog: Pick<FollowedCatalog, 'current'>
  readonly health: WebhookHealth
  readonly onDivision: (division: LaneDivision) => void
  readonly onRecovery: (webhook: LaneId) => void
}

/**
 * Connects this node's lanes to the lanes of other nodes: divides limits, and exchanges breakers and pauses. Returns a
 * function that disconnects them.
 */
export function connectPeers(options: PeeredLanesOptions): () => void {
  const { nodes, signals, health, catalog } = options
  const divide = (): void => options.onDivision(divisionOf(nodes))
  const onBreaker = (message: unknown): void => {
    const change = message as BreakerChange
    const { destinationId, url } = change
    if (has(catalog, change) && health.applyBreaker(change))
      options.onRecovery({ destinationId, url })
  }
  const onPause = (message: unknown): void => {
    const change = message as PauseChange
    if (has(catalog, change)) health.applyPause(change)
  }
  const stops = [
    nodes.onChange(divide),
    signals.onMessage('breakers', onBreaker),
    signals.onRequest('breakers', async () => health.open()),
    signals.onMessage('pauses', onPause),
    signals.onRequest('pauses', async () => health.pauses()),
  ]
  divide()
  health.onChange = (change) => signals.publish('breakers', change)
  health.onPause = (change) => signals.publish('pauses', change)
  void signals.request('breakers', {}).then((responses) => responses.flat().forEach(onBreaker))
  void signals.request('pauses', {}).then((responses) => responses.flat().forEach(onPause))
  return () => {
    for (const stop of stops) stop()
  }
}

/** The index of this node among the delivering nodes. A node that has not joined delivers alone. */
export function divisionOf({ id, current }: Pick<Nodes, 'id' | 'current'>): LaneDivision {
  const ids = current.filter((node) => node.isAlive && hasDeliveryRole(node)).map((node) => node.id)
  const index = ids.toSorted().indexOf(id)
  return index === -1 ? UNDIVIDED : { nodes: ids.length, index }
}

function has({ current }: PeeredLanesOptions['catalog'], { destinationId, url }: LaneId): boolean {
  const destination = current.destinations.get(destinationId)
  return destination?.settings.webhooks.some((webhook) => webhook.url === url) === true
}

import type { LaneState } from '@hookline/protocol'
import type { FollowedCatalog } from '../backend/catalog.ts'
import type { WebhookLanes } from '../backend/deliveries.ts'
import type { FreshDelivery } from '../delivery/dispatcher.ts'

/** How the lanes are, all together. */
export interface LanesStatus {
  /**
   * How long lanes have had deliveries in memory and none of them ended. An attempt takes seconds, however slow its
   * receiver.
   */
  readonly stillForMs: number
  /** Parts of deliveries in lanes. In the backend they are pending, or not recorded yet. */
  readonly inMemory: number
  /** Deliveries that the backend does not have yet. */
  readonly unrecorded: number
  /** Deliveries that the lanes took, and that are neither in memory nor recorded. 0 unless there is a bug. */
  readonly imbalance: number
  /** Webhooks whose breaker is not closed. */
  readonly openBreakers: number
  /** The last error of each failing worker, by the name of the worker. */
  readonly failing: ReadonlyMap<string, string>
}

/**
 * The lanes of all destinations, as everything outside of them talks with them: the pipeline, the management API, replays,
 * deletions and gauges. What is given and returned is plain data, and each question is asked once for many webhooks or
 * deliveries: the lanes may be in other threads. `LaneGroup` has lanes in this thread.
 */
export interface Lanes extends WebhookLanes, AsyncDisposable {
  /** Takes a fresh delivery. Never waits for a receiver. Call it after `ready`. */
  deliver(delivery: FreshDelivery): void
  /** How many fresh deliveries it was given. */
  readonly given: number
  /** Resolves when it takes more deliveries. So the pipeline waits for the disk where it must, and never for a receiver. */
  ready(): Promise<void>
  /** Parts in the backend became due: they are claimed now. */
  wake(): void
  status(): Promise<LanesStatus>
  /** Begins the stop: the workers end, and no further attempt begins. Safe to call twice. */
  stop(): void
  /** Ends the attempts in flight: their deliveries are as before the attempt. */
  abort(): void
  /** Stops, and waits until the attempts in flight are recorded. Other deliveries come again after a restart. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * The lanes of a node that does not deliver: other nodes have them. They read from the database what is due, so what is asked of
 * these changes nothing. Breakers show as closed, because this node makes no attempts.
 */
export class LanesElsewhere implements Lanes {
  readonly given = 0
  readonly #catalog: FollowedCatalog

  constructor(catalog: FollowedCatalog) {
    this.#catalog = catalog
  }

  deliver(): void {
    throw new Error('This node does not deliver.')
  }

  async ready(): Promise<void> {}

  wake(): void {}

  async states(
    destinationIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly LaneState[]>> {
    return untriedStates(destinationIds, this.#catalog)
  }

  async attemptsOf(): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
    return new Map()
  }

  async allowNow(): Promise<void> {}

  async retryNow(): Promise<void> {}

  async closeBreakers(): Promise<void> {}

  async status(): Promise<LanesStatus> {
    return IDLE
  }

  stop(): void {}

  abort(): void {}

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** The status of lanes that have done nothing. */
export const IDLE: LanesStatus = {
  stillForMs: 0,
  inMemory: 0,
  unrecorded: 0,
  imbalance: 0,
  openBreakers: 0,
  failing: new Map(),
}

/** The states of webhooks that no attempt was made at: their breakers are closed. */
export function untriedStates(
  destinationIds: readonly string[],
  { current }: Pick<FollowedCatalog, 'current'>,
): ReadonlyMap<string, readonly LaneState[]> {
  const known = destinationIds.flatMap((id) => current.destinations.get(id) ?? [])
  return new Map(
    known.map(({ id, settings }) => [
      id,
      settings.webhooks.map(({ url }) => ({ ...UNTRIED, url })),
    ]),
  )
}

const UNTRIED: Omit<LaneState, 'url'> = {
  breaker: 'closed',
  brokenSince: null,
  restsUntil: null,
  retryAfterUntil: null,
  pacePerSecond: null,
  inFlight: 0,
}

import type { LaneState } from '@hookline/protocol'
import type { FollowedCatalog } from '../backend/catalog.ts'
import type { WebhookLanes } from '../backend/deliveries.ts'
import type { FreshDelivery } from '../delivery/dispatcher.ts'

export interface LanesStatus {
  /**
   * Time since a delivery in memory last finished. Slow receivers do not raise it much, because attempts have a time
   * limit.
   */
  readonly stalledMs: number
  readonly inMemory: number
  readonly unrecorded: number
  /** Deliveries that are neither in memory nor recorded. 0 unless there is a bug. */
  readonly imbalance: number
  readonly openBreakers: number
  /** The last error of each failing worker, by worker name. */
  readonly failing: ReadonlyMap<string, string>
}

/** The lanes of all destinations. Inputs and outputs are plain data in bulk, because lanes may run in other threads. */
export interface Lanes extends WebhookLanes, AsyncDisposable {
  /** Accepts a fresh delivery without waiting for a receiver. Call it after `ready`. */
  deliver(delivery: FreshDelivery): void
  readonly accepted: number
  /** The number of fresh deliveries in memory that are not yet recorded. */
  readonly unrecorded: number
  /** Resolves when it can accept more deliveries. It may wait for the disk, but never for a receiver. */
  ready(): Promise<void>
  /** Claims due parts immediately. Call it after parts in the backend have become due. */
  wake(): void
  status(): Promise<LanesStatus>
  /** Begins to stop: the workers end, and no more attempts begin. Safe to call twice. */
  stop(): void
  /** Aborts the attempts in flight, and leaves their deliveries unchanged. */
  abort(): void
  /** Stops, and waits until the attempts in flight are recorded. Other deliveries are redelivered after a restart. */
  [Symbol.asyncDispose](): Promise<void>
}

/** The lanes of a node that does not deliver. Other nodes read due parts from the database, so nothing is forwarded. */
export function idleLanes(catalog: FollowedCatalog): Lanes {
  const nothing = async (): Promise<void> => {}
  return {
    accepted: 0,
    unrecorded: 0,
    deliver: () => {
      throw new Error('This node does not deliver.')
    },
    ready: nothing,
    wake: () => undefined,
    states: async (destinationIds) => initialStates(destinationIds, catalog),
    attemptsOf: async () => new Map(),
    command: nothing,
    status: async () => IDLE,
    stop: () => undefined,
    abort: () => undefined,
    [Symbol.asyncDispose]: nothing,
  }
}

export const IDLE: LanesStatus = {
  stalledMs: 0,
  inMemory: 0,
  unrecorded: 0,
  imbalance: 0,
  openBreakers: 0,
  failing: new Map(),
}

/** Webhooks without an attempt have closed breakers. */
export function initialStates(
  destinationIds: readonly string[],
  { current }: Pick<FollowedCatalog, 'current'>,
): ReadonlyMap<string, readonly LaneState[]> {
  const known = destinationIds.flatMap((id) => current.destinations.get(id) ?? [])
  return new Map(
    known.map(({ id, settings }) => [
      id,
      settings.webhooks.map(({ url }) => ({ ...INITIAL, url })),
    ]),
  )
}

const INITIAL: Omit<LaneState, 'url'> = {
  breaker: 'closed',
  brokenSince: null,
  openUntil: null,
  retryAfterUntil: null,
  pacePerSecond: null,
  inFlight: 0,
}

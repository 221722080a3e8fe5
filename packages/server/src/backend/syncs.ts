import type { Page, PageRequest } from './page.ts'

/** Why a computation is synced. */
export type SyncReason = 'created' | 'changed' | 'requested' | 'daily' | 'deleted'

/** A walk through all profiles for one computation. */
export interface Sync {
  /** `syn_…` */
  readonly id: string
  readonly computationId: string
  readonly reason: SyncReason
  /** The version of the computation that it is for. A computation with another version needs another sync. */
  readonly version: number
  /** The destinations that have the value of every user when it is done. */
  readonly destinationIds: readonly string[]
  /** Those of them that get the value of every user through this sync. */
  readonly addedDestinationIds: readonly string[]
  /** Every destination that may have been told something before this sync, also those that are no longer one. */
  readonly formerDestinationIds: readonly string[]
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  /** Milliseconds since the epoch, as the other times. */
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** Profiles that it has looked at. */
  readonly looked: number
  /** Users of whom an added destination was told. */
  readonly told: number
  /**
   * Profiles that got a value or another one, and profiles that lost it, through this sync. One for a new definition also
   * counts those that evaluation in real time has changed by that definition before it was done.
   */
  readonly entered: number
  readonly left: number
  /** Profiles that evaluation in real time had missed. */
  readonly missed: number
  /** Where it goes on: after which profile, then after which user of the added destinations; `null` when that is done. */
  readonly afterProfile: number | null
  readonly afterUser: string | null
  /** In words, of one that failed. */
  readonly error: string | null
}

/** Syncs of computations. `Memberships.forget` removes them. */
export interface Syncs {
  /** Adds or replaces one. The last 20 of each computation that ended are kept. Durable when it resolves. Safe to call twice. */
  put(sync: Sync): Promise<void>
  /**
   * Replaces a sync by its next state. Resolves to false, and has changed nothing, where it is not as `before` any more:
   * then another one has taken its place.
   */
  advance(before: Sync, next: Sync): Promise<boolean>
  /** Those that are neither done nor failed, the oldest first. */
  open(): Promise<readonly Sync[]>
  /** The syncs of a computation, newest first. */
  list(computationId: string, page: PageRequest): Promise<Page<Sync>>
  /** The last sync of each computation that ended, by computation. */
  last(): Promise<ReadonlyMap<string, Sync>>
}

import type { Page, PageRequest } from './page.ts'

/** Why a computation is synced. */
export type SyncReason =
  'created' | 'changed' | 'requested' | 'daily' | 'destination_added' | 'deleted'

/** A walk through all profiles for one computation. */
export interface Sync {
  /** `syn_…` */
  readonly id: string
  readonly computationId: string
  readonly reason: SyncReason
  /** For `destination_added`: the destinations that get the value of every user. */
  readonly destinationIds?: readonly string[]
  readonly state: 'filling' | 'running' | 'done' | 'failed'
  /** Milliseconds since the epoch, as the other times. */
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** How far it is: profiles or events done, of how many. */
  readonly done: number
  readonly total: number
  /** Profiles that got a value, another value, or lost it through this sync. */
  readonly entered: number
  readonly left: number
  /** Of these, those that evaluation in real time had missed. */
  readonly missed: number
  /** Where it goes on after a restart. */
  readonly cursor: string | null
  /** In words, of one that failed. */
  readonly error: string | null
}

/** Syncs of computations. `Memberships.forget` removes them. */
export interface Syncs {
  /** Adds or replaces one. The last 20 of each computation that ended are kept. Durable when it resolves. Safe to call twice. */
  put(sync: Sync): Promise<void>
  /** Those that are neither done nor failed, the oldest first. */
  open(): Promise<readonly Sync[]>
  /** The syncs of a computation, newest first. */
  list(computationId: string, page: PageRequest): Promise<Page<Sync>>
  /** The last sync of each computation that ended, by computation. */
  last(): Promise<ReadonlyMap<string, Sync>>
}

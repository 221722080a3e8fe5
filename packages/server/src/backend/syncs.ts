import type { Page, PageRequest } from './page.ts'

export type SyncReason = 'created' | 'changed' | 'requested' | 'daily' | 'deleted'

export interface Sync {
  readonly id: string
  readonly computationId: string
  readonly reason: SyncReason
  /** The version of the computation. Another version needs another sync. */
  readonly version: number
  /** The destinations that will have the value of every user when it is done. */
  readonly destinationIds: readonly string[]
  /** The subset that gets every user's value through this sync. */
  readonly addedDestinationIds: readonly string[]
  /** Every destination that may have values from before this sync, including removed ones. */
  readonly formerDestinationIds: readonly string[]
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  readonly evaluated: number
  readonly announced: number
  /** Profiles that got or lost a value through this sync, or, for a new definition, in real time before it was done. */
  readonly entered: number
  readonly left: number
  readonly missed: number
  /**
   * Where to continue: after this profile, and then, for added destinations, after this userId.
   * Each is `null` when its scan is done.
   */
  readonly afterProfile: number | null
  readonly afterUser: string | null
  readonly error: string | null
}

export interface Syncs {
  /** Adds or replaces a sync. The last 20 ended syncs of a computation are kept. */
  put(sync: Sync): Promise<void>
  /** Moves a sync to its next state. Resolves to false without changes if it differs from `before`. */
  advance(before: Sync, next: Sync): Promise<boolean>
  open(): Promise<readonly Sync[]>
  list(computationId: string, page: PageRequest): Promise<Page<Sync>>
  last(): Promise<ReadonlyMap<string, Sync>>
}

/** How many deliveries of a destination have no end yet. */
export interface WaitingDeliveries {
  readonly destinationId: string
  readonly state: 'pending' | 'held'
  readonly count: number
}

/** What waits, at one moment. */
export interface Backlog {
  /** One entry for each destination and state that has any. */
  readonly waiting: readonly WaitingDeliveries[]
  /** When the window of the oldest pending delivery began, in milliseconds since the epoch. */
  readonly oldestPendingAt: number | undefined
  /** Things in quarantine. */
  readonly quarantined: number
}

/** One slice of a walk through the archive, oldest first. */
export interface RemovalSlice {
  /** Only what was received before this, in milliseconds since the epoch; absent: whatever its age. */
  readonly before?: number
  /** What the slice before said; absent for the first. */
  readonly cursor?: string
}

export interface Removal {
  /** Events removed, with all that belonged to them. */
  readonly removed: number
  /** Where the next slice begins; `null` when there is nothing more to remove. */
  readonly cursor: string | null
}

/** What the service keeps, seen as a whole: how much of it waits, how large it is, and how it is removed. */
export interface Upkeep {
  /** Cheap, however much waits: nothing is counted for it. */
  backlog(): Promise<Backlog>

  /** Bytes the data takes now. What was removed counts no more, though the file keeps its size. */
  usedBytes(): Promise<number>

  /**
   * Removes some of the oldest events with their decisions, deliveries and attempts: never one that is
   * not acked, or has a delivery that is pending or held. With `before`, the first slice removes finished
   * replays and quarantine of that age, too, and copies that the backend made of its data. Takes a few milliseconds; safe to call twice.
   */
  removeOldest(slice: RemovalSlice): Promise<Removal>
}

export interface WaitingDeliveries {
  readonly destinationId: string
  readonly state: 'pending' | 'held'
  readonly count: number
}

export interface Backlog {
  readonly waiting: readonly WaitingDeliveries[]
  readonly oldestPendingAt: number | undefined
  readonly quarantined: number
}

/** How far a reader of the log is behind the end of the log. */
export interface Lag {
  /**
   * An upper bound: duplicates, which are not stored, count too. In a cluster, `undecided` is an
   * estimate.
   */
  readonly events: number
  readonly oldestAt: number | null
}

export interface EventCount {
  readonly count: number
  readonly isExact: boolean
}

export interface Inventory {
  /** The size of the database, including free space in it. */
  readonly databaseBytes: number
  readonly logBytes: number
  readonly events: EventCount
  readonly oldestEventAt: number | null
  readonly undecided: Lag
  /** Events that profiles have not applied; `null` before profiles are first needed. */
  readonly notInProfiles: Lag | null
  readonly openReplays: number
  readonly openDeletions: number
}

/** Data corruption found at startup. */
export interface FoundCorruption {
  readonly foundAt: number
  /** The lost data. May contain file names. */
  readonly description: string
}

/** Lost data. All 0 unless there is a bug, or another program has changed the data. */
export interface MissingCounts {
  /** Including events that the log's consumer has never received. */
  readonly events: number
  /** Lost decisions not to deliver an event. */
  readonly decisions: number
  readonly deliveries: number
}

export interface RemovalSlice {
  /** Removes only events received before this time. Absent: events of any age. */
  readonly before?: number
  readonly cursor?: string
  /** How long the engine may continue with more slices, with other writes between them. */
  readonly forMs?: number
  /** Stops early once the data takes at most this many bytes. */
  readonly keepBytes?: number
}

export interface Removal {
  readonly removed: number
  readonly cursor: string | null
}

export interface Disk {
  readonly freeBytes: number
  readonly totalBytes: number
}

/** The backlog and size of the data, and the removal of old data. */
export interface Upkeep {
  /** Cheap: it reads counters. */
  backlog(): Promise<Backlog>

  /** Data missing for no known reason. `messages`: lost by NATS after an ack, as noticed by this node since it started. */
  missing(): Promise<MissingCounts & { readonly messages?: number }>

  inventory(): Promise<Inventory>

  corruptions(limit: number): Promise<readonly FoundCorruption[]>

  usedBytes(): Promise<number>

  /** The disk of the database; `null` if it is on another machine. */
  disk(): Promise<Disk | null>

  /**
   * Removes some of the oldest events with their decisions, deliveries and attempts, except events
   * that are not acked, that profiles have not reached, or that have unfinished deliveries. With
   * `before`, the first slice also removes finished replays and quarantine items of that age, and
   * copies of the data. Each slice takes a few milliseconds.
   */
  removeOldest(slice: RemovalSlice): Promise<Removal>
}

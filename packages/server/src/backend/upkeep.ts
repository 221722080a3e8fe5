/** How many deliveries of a destination are in a state that is no end. */
export interface WaitingDeliveries {
  readonly destinationId: string
  readonly state: 'pending' | 'held'
  readonly count: number
}

/** What waits at one moment. */
export interface Backlog {
  /** One entry for each destination and state that has any. */
  readonly waiting: readonly WaitingDeliveries[]
  /** When the window of the oldest pending delivery began, in milliseconds since the epoch. */
  readonly oldestPendingAt: number | undefined
  /** Items in quarantine. */
  readonly quarantined: number
}

/** How far a reader of the log is behind its end. */
export interface Behind {
  /** At most so many events; duplicates, which are not stored, count as well. */
  readonly events: number
  /** When the first of them was received, in milliseconds since the epoch; `null` where there is none. */
  readonly oldestAt: number | null
}

/** How many events are stored: counted, or estimated where there are many. */
export interface EventCount {
  readonly count: number
  readonly isExact: boolean
}

/** How much is stored, and how much of it is not worked off. */
export interface Inventory {
  /** Size of the database, with the space that removed data has left. */
  readonly databaseBytes: number
  /** What is written, and not yet in the database. */
  readonly logBytes: number
  /** Free bytes of the disk; `null` where the database is on another machine. */
  readonly freeBytes: number | null
  readonly events: EventCount
  /** When the oldest event was received, in milliseconds since the epoch; `null` where there is none. */
  readonly oldestEventAt: number | null
  /** What the consumer of the log has not acked. */
  readonly undecided: Behind
  /** What profiles have not applied; `null` while none are kept. */
  readonly notInProfiles: Behind | null
  readonly openReplays: number
  readonly openDeletions: number
}

/** A damage of the data that a start has found. */
export interface FoundDamage {
  /** Milliseconds since the epoch. */
  readonly foundAt: number
  /** What is lost, in words. It may name files of the machine. */
  readonly description: string
}

/** What was lost. All 0 unless there is a bug, or something else has changed the data. */
export interface Missing {
  /** Events that were appended and are gone, or that the consumer of the log was never handed. */
  readonly events: number
  /** Reasons not to deliver an event that were archived and are gone. */
  readonly decisions: number
  /** Deliveries that were recorded and are gone. */
  readonly deliveries: number
}

/** One slice of a walk through the archive, oldest first. */
export interface RemovalSlice {
  /** Only what was received before this time, in milliseconds since the epoch; absent: of any age. */
  readonly before?: number
  /** `cursor` of the slice before; absent for the first. */
  readonly cursor?: string
  /** An engine may go on for this long, slice by slice, with all other writes between them. */
  readonly forMs?: number
  /** It then ends when the data takes no more bytes than this. */
  readonly keepBytes?: number
}

/** The result of one slice. */
export interface Removal {
  /** Events removed, with everything that belonged to them. */
  readonly removed: number
  /** Where the next slice begins; `null` when there is nothing left to remove. */
  readonly cursor: string | null
}

/** The state as a whole: how much of it waits, how large it is, and how old data is removed. */
export interface Upkeep {
  /** Cheap, however much waits: it reads counts and counts no deliveries. */
  backlog(): Promise<Backlog>

  /**
   * What is missing of everything that was ever appended and recorded, without what retention and purges have removed.
   * Cheap: it reads counts. `messages`: what NATS has acknowledged and lost, as this node has noticed since it started.
   */
  missing(): Promise<Missing & { readonly messages?: number }>

  /** Cheap, however much is stored. */
  inventory(): Promise<Inventory>

  /** The last damages, at most `limit`, the newest first. */
  damages(limit: number): Promise<readonly FoundDamage[]>

  /** Bytes that the data takes now. Removed data does not count, though the file keeps its size. */
  usedBytes(): Promise<number>

  /**
   * Removes some of the oldest events with their decisions, deliveries and attempts. It never removes an event that
   * is not acked, that a recorded cursor has not reached, or that has a pending or held delivery. With `before`, the first slice also removes finished
   * replays and quarantine items of that age, and copies that the backend made of its data. Takes a few milliseconds.
   * Durable when it resolves. Safe to call twice.
   */
  removeOldest(slice: RemovalSlice): Promise<Removal>
}

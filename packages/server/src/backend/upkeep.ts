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
   * Cheap: it reads counts.
   */
  missing(): Promise<Missing>

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

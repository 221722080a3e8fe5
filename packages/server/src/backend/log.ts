import type { AcceptedEvent, EventType } from '@hookline/protocol'
import type { UnreadableRecord } from './quarantine.ts'

/** The events in one append, or some of them, as the consumer receives and acks them. */
export interface LogEntry {
  readonly events: readonly AcceptedEvent[]
  /** Whether the entry may have been delivered before, and its events processed. */
  readonly redelivered: boolean
  readonly unreadable?: readonly UnreadableRecord[]
  /** Set by the consumer when it begins the entry. */
  progress?: EntryProgress
}

export interface EntryProgress {
  /** The index of the next event to hand over. */
  next: number
  /** Deliveries that are neither recorded nor parked. */
  open: number
  /** Whether an event was handed over, or the entry has none. */
  isBegun: boolean
}

/** An event and its log position. Positions increase in the order of appending, and may have gaps. */
export interface PositionedEvent {
  readonly position: number
  readonly event: AcceptedEvent
}

export interface LogSlice {
  readonly events: readonly PositionedEvent[]
  /** The last position of the slice, including corrupt and skipped events. */
  readonly through: number
  readonly isEnd: boolean
  readonly unreadable?: readonly UnreadableRecord[]
}

/** Selects track events by name, and other calls by type. */
export interface EventSelector {
  readonly events: readonly string[]
  readonly types: readonly EventType[]
}

export interface ConsumeOptions {
  readonly signal: AbortSignal
  /** Whether processing of the entry has begun. If absent, all entries count as begun. */
  readonly isBegun?: (entry: LogEntry) => boolean
}

/** The durable queue between ingest and pipeline. It does not interpret events. */
export interface Log {
  /**
   * How long the consumer may wait for the rest of the backend before it restarts, so that another
   * node gets the entries that it has not begun. Absent on a backend without other nodes.
   */
  readonly maxRetryMs?: number

  /**
   * Resolves when every event would survive `kill -9` and a power cut. A rejected append has accepted nothing, except that a
   * remote log that rejects with `BackendUnavailableError` may have accepted some events. After `BackendUnavailableError`, a retry may
   * succeed. Not idempotent: appending an event twice is an error, and may be refused. Retry with new event ids; the messageIds
   * reveal duplicates.
   */
  append(events: readonly AcceptedEvent[]): Promise<void>

  /**
   * Delivers every unacked entry at least once, and waits for more until `signal` aborts. Events
   * from one source and node arrive in the order of appending, except redelivered ones. Each node
   * has at most one consumer; consumers of several nodes compete, and entries of a dead node go to
   * another node. If the same process consumes again, entries that it already has come first, as
   * the same objects.
   *
   * With one node, all entries arrive in the order of appending, and after a restart, unacked
   * entries come first, as `redelivered`. With several nodes, entries that the
   * consumer has not begun (`isBegun`) when it ends may go to any node.
   */
  consume(options: ConsumeOptions): AsyncIterable<readonly LogEntry[]>

  /**
   * Marks these entries as finished. Durable when it resolves; after a crash before or shortly after that, an entry may be
   * redelivered. Idempotent, even after a rejection.
   */
  ack(entries: readonly LogEntry[]): Promise<void>
}

/** The log for followers with their own cursors, besides its one consumer. */
export interface FollowedLog {
  /** Readable archived events after a position. Retention keeps events that the cursor of profiles has not reached. */
  read(options: {
    readonly after: number
    readonly limit: number
    readonly only?: EventSelector
  }): Promise<LogSlice>

  appendedAfter(position: number, signal: AbortSignal): Promise<void>
}

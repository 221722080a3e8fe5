import type { AcceptedEvent, EventType } from '@hookline/protocol'
import type { Unreadable } from './quarantine.ts'

/** What the consumer receives and acks: the events of one append, or a part of them. */
export interface LogEntry {
  readonly events: readonly AcceptedEvent[]
  /** True where the entry may have been handed out before, so that its events may have been processed. */
  readonly redelivered: boolean
  /** Events of the entry that are damaged. */
  readonly unreadable?: readonly Unreadable[]
}

/** An event and its position in the log. Positions grow with the order of appending, and may have gaps. */
export interface PositionedEvent {
  readonly position: number
  readonly event: AcceptedEvent
}

/** Some events after a position. */
export interface LogSlice {
  readonly events: readonly PositionedEvent[]
  /** The position that the slice reaches, damaged and left out events included: the next one begins after it. */
  readonly through: number
  /** Whether there was nothing more when it was read. */
  readonly isEnd: boolean
  /** Events of the slice that are damaged. */
  readonly unreadable?: readonly Unreadable[]
}

/** Leaves out what is not of one of these kinds. `events`: names of track events; `types`: other types of calls. */
export interface EventSelector {
  readonly events: readonly string[]
  readonly types: readonly EventType[]
}

export interface ConsumeOptions {
  readonly signal: AbortSignal
  readonly isBegun?: (entry: LogEntry) => boolean
}

/** The durable hand-over from ingest to the pipeline. It does not interpret events. */
export interface Log {
  /**
   * How long the consumer may wait for the rest of the backend. Then it ends, and begins again: what it has not begun goes to
   * another node, which may work. Without it, there is no other node.
   */
  readonly patienceMs?: number

  /**
   * Resolves when every event would survive `kill -9` and a power cut. An append that rejects has accepted nothing; with
   * `BackendUnavailable`, a later try may succeed. A log on other machines cannot know whether its last words were heard, so there
   * an append that rejects with `BackendUnavailable` may have accepted some of the events.
   * Not safe to call twice: the same event a second time is an error of the caller, and may be refused.
   */
  append(events: readonly AcceptedEvent[]): Promise<void>

  /**
   * Hands out every entry that is not acked, at least once, and waits for more until `signal` aborts. What one node has appended of
   * one source comes in the order of appending, except where it comes again. Each node may have one consumer at a time; those of
   * several nodes compete, and an entry that one of them was handed goes to another one when the first is gone. When the same
   * process consumes again, an entry that it was handed before is the same object, and comes first.
   *
   * With one node, all entries come in the order of appending, and those from before a restart come first, with `redelivered`.
   *
   * With several, any node may get the entries that were handed out and not begun when the consumer ends. `isBegun` tells them;
   * without it, all are begun.
   */
  consume(options: ConsumeOptions): AsyncIterable<readonly LogEntry[]>

  /**
   * Ends the processing of these entries. Safe to call twice, also after a call that rejected. Resolves when durable; after
   * a crash before or shortly after that, an acked entry may be handed out again.
   */
  ack(entries: readonly LogEntry[]): Promise<void>
}

/** The log for those who follow it with a cursor of their own, beside its one consumer. */
export interface FollowedLog {
  /**
   * Entries of the log after a position, as long as the archive has them, for those who follow it with a cursor of their
   * own: at most `limit` events, none of them damaged. Retention removes no event that a recorded cursor has not reached.
   */
  read(options: {
    readonly after: number
    readonly limit: number
    readonly only?: EventSelector
  }): Promise<LogSlice>

  /** Resolves when there is an event after the position, or `signal` aborts. */
  appendedAfter(position: number, signal: AbortSignal): Promise<void>
}

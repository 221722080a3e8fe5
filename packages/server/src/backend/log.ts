import type { AcceptedEvent } from '@hookline/protocol'
import type { Unreadable } from './quarantine.ts'

/** What the consumer receives and acks: the events of one append, or a part of them. */
export interface LogEntry {
  readonly events: readonly AcceptedEvent[]
  /** True where the entry may have been handed out before, so that its events may have been processed. */
  readonly redelivered: boolean
  /** Events of the entry that are damaged. */
  readonly unreadable?: readonly Unreadable[]
}

/** The durable hand-over from ingest to the pipeline. It does not interpret events. */
export interface Log {
  /**
   * Resolves when every event would survive `kill -9` and a power cut: all or none.
   * An append that rejects has accepted nothing; with `BackendUnavailable`, a later try may succeed.
   * Not safe to call twice: the same event a second time is an error of the caller, and may be refused.
   */
  append(events: readonly AcceptedEvent[]): Promise<void>

  /**
   * Hands out every entry that is not acked, at least once, in the order of appending, and waits for more until
   * `signal` aborts. Entries from before a restart come first, with `redelivered`. There may be one consumer at a
   * time. When the same process consumes again, an entry that it was handed before is the same object.
   */
  consume(options: { readonly signal: AbortSignal }): AsyncIterable<readonly LogEntry[]>

  /**
   * Ends the processing of these entries. Safe to call twice. Resolves when durable; after a crash before or shortly
   * after that, an acked entry may be handed out again.
   */
  ack(entries: readonly LogEntry[]): Promise<void>
}

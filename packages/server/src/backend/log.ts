import type { AcceptedEvent } from '@hookline/protocol'
import type { Unreadable } from './quarantine.ts'

/** What the log hands out and takes back: the events of one append, or a part of them. */
export interface LogEntry {
  readonly events: readonly AcceptedEvent[]
  /** True where the entry may have been handed out before: its events may have been dealt with. */
  readonly redelivered: boolean
  /** Events of it that cannot be read any more. */
  readonly unreadable?: readonly Unreadable[]
}

/** The durable hand-over from ingest to pipeline. It knows nothing of what an event means. */
export interface Log {
  /**
   * Resolves when every event would survive `kill -9` and a power cut: all or none.
   * A rejected append accepted nothing, and rejects with `BackendUnavailable` when a later try may succeed.
   * Appending the very same event twice is a mistake, and may be refused.
   */
  append(events: readonly AcceptedEvent[]): Promise<void>

  /**
   * Hands out entries at least once, in the order of appending, waiting for more, until `signal`
   * aborts. Every entry that was never acked comes: first those left over, with `redelivered`. One
   * consumer at a time. When the same process consumes again, an entry that it was handed before is the same object.
   */
  consume(options: { readonly signal: AbortSignal }): AsyncIterable<readonly LogEntry[]>

  /**
   * Says that the service is done with these entries. Safe to call twice. Resolves when durable; a
   * crash before that, or soon after, may hand an acked entry out again.
   */
  ack(entries: readonly LogEntry[]): Promise<void>
}

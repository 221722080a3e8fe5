import type { AcceptedEvent } from '@hookline/protocol'

/** A row of a SELECT, by column. */
export type StoredRow = Readonly<Record<string, string | number | null | Uint8Array>>

/** The database of a stopped embedded service. It does not change while this is open. */
export interface StoppedData extends Disposable {
  /** Differs from that of all other data, and of this data after a service has written to it. */
  readonly identity: string
  /** The last position of the log that an event has, had, or that a follower or a purge has recorded. */
  readonly lastPosition: number
  /** The keys that open sealed texts. */
  readonly keys: readonly Buffer[]
  /** The key that signs receipts of deletions; `undefined` if none was made. */
  readonly receiptKey: string | undefined
  /** Runs a SELECT of SQLite, and reads its rows one by one. */
  rows(select: string, ...values: readonly (string | number)[]): Iterable<StoredRow>
  /** The event of a row of `events` that has the body as bytes; `undefined` if its checksum does not match. */
  eventOf(row: StoredRow): AcceptedEvent | undefined
  /** Opens a sealed text; `undefined` if it is damaged. */
  open(sealed: string, label: string): string | undefined
}

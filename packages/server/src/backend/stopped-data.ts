import type { AcceptedEvent } from '@hookline/protocol'

export type StoredRow = Readonly<Record<string, string | number | null | Uint8Array>>

/** The database of a stopped embedded service: it does not change while this is open. */
export interface StoppedData extends Disposable {
  /** Unique, and changed by every run of the service. */
  readonly identity: string
  /** The largest log position ever used by an event, a follower or a purge. */
  readonly lastPosition: number
  readonly keys: readonly Buffer[]
  readonly receiptKey: string | undefined
  rows(select: string, ...values: readonly (string | number)[]): Iterable<StoredRow>
  eventOf(row: StoredRow): AcceptedEvent | undefined
  open(sealed: string, label: string): string | undefined
}

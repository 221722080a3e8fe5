import type { EventOutcome } from '@hookline/protocol'
import type { LiveEvent } from '../../stream/live-messages.ts'

/** The latest known outcome at one destination. */
export interface LiveOutcome {
  readonly destinationId: string
  readonly state: EventOutcome
  /** Why it was declined, or the class of the last attempt. */
  readonly detail: string | null
  readonly status: number | null
  readonly durationMs: number | null
  /** The number of the last attempt to its webhook; `null` before the first. */
  readonly attempt: number | null
}

/** An event with its decisions and attempts. */
export interface LiveRow {
  readonly kind: 'event'
  /** Increases with each row. */
  readonly order: number
  /** `null` for a retry whose event arrived before the page was opened, or was evicted. */
  readonly event: LiveEvent | null
  readonly eventId: string
  readonly at: string
  readonly isDuplicate: boolean
  readonly outcomes: readonly LiveOutcome[]
}

/** Messages missing from the stream. */
export interface GapRow {
  readonly kind: 'gap'
  readonly order: number
  /** `null` if unknown. */
  readonly missed: number | null
  /** Time of the last message before the gap. */
  readonly from: string | null
  readonly to: string
}

export type AnyRow = LiveRow | GapRow

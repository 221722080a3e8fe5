import type { EventOutcome } from '@hookline/protocol'
import type { LiveEvent } from '../../stream/live-messages.ts'

/** What became of an event at one destination, as far as it is known. */
export interface LiveOutcome {
  readonly destinationId: string
  readonly state: EventOutcome
  /** The reason, if declined; the class of the last attempt. */
  readonly detail: string | null
  readonly status: number | null
  readonly durationMs: number | null
}

/** An event, with the decisions and attempts that arrived after it. */
export interface LiveRow {
  readonly kind: 'event'
  /** Where it stands: a later row has a higher number. */
  readonly order: number
  /** `null` in the row of an attempt whose event arrived before the page was opened, or long ago. */
  readonly event: LiveEvent | null
  readonly eventId: string
  readonly at: string
  readonly isDuplicate: boolean
  readonly outcomes: readonly LiveOutcome[]
}

/** Messages that this page did not get. */
export interface GapRow {
  readonly kind: 'gap'
  readonly order: number
  /** How many; `null` where that is not known. */
  readonly missed: number | null
  /** The last message before it, and the first moment after it. */
  readonly from: string | null
  readonly to: string
}

/** A row of the list. */
export type AnyRow = LiveRow | GapRow

import type { Behind } from '../../upkeep.ts'

/** What the log knows of itself. */
interface LogState {
  /** What is not acked. */
  readonly undecided: Behind
  /** Every event whose position is before this one is acked. */
  readonly ackedBefore: number
  /** Bytes of what is not acked. */
  readonly bytes: number
}

export type ReadLogState = () => Promise<LogState>

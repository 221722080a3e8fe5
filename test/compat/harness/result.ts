import type { ScenarioName } from '../scenarios/scenario-names.ts'

/** Counts of one library's calls in one scenario, for the page. */
export interface LibraryResult {
  readonly language: string
  readonly library: string
  readonly version: string
  readonly scenario: ScenarioName
  /** Calls that the program made. */
  readonly made: number
  /** Calls with a 200. */
  readonly stored: number
  /** Stored calls that arrived at the receiver. */
  readonly delivered: number
  /** Stored calls that `integrations` excludes from webhooks. */
  readonly declined: number
  /** Stored calls that neither arrived nor were declined. */
  readonly lost: number
  /** Calls that the service refused, with a code. */
  readonly refused: number
  /** Calls that the library dropped or never sent. */
  readonly failedPermanently: number
  /** Repeated deliveries, with the same `webhook-id`. */
  readonly duplicates: number
  /** Deliveries with valid signatures. */
  readonly verified: number
}

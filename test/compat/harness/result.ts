import type { ScenarioName } from '../scenarios/scenario-names.ts'

/** What became of the calls of one library in one scenario. The page shows it. */
export interface Result {
  readonly language: string
  readonly library: string
  readonly version: string
  readonly scenario: ScenarioName
  /** Calls that the program made. */
  readonly made: number
  /** Of these, those that got a 200. */
  readonly stored: number
  /** Of these, those that arrived at the receiver, each with valid signatures. */
  readonly delivered: number
  /** Of those that got a 200, those that `integrations` keeps from webhooks. */
  readonly declined: number
  /** Those that got a 200, and neither arrived nor were declined. */
  readonly lost: number
  /** Calls that the service refused, with a code. */
  readonly refused: number
  /** Calls that the library gave up, or never sent. */
  readonly givenUp: number
  /** Deliveries that came again, with the same `webhook-id`. */
  readonly duplicates: number
  /** Deliveries with valid signatures. */
  readonly verified: number
}

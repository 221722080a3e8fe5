import type { ReceivedRequest } from '@hookline/testing/receiver/receiver'
import type { Library } from '../libraries/library.ts'
import type { Scenario } from '../scenarios/scenarios.ts'
import type { ScenarioName } from '../scenarios/scenario-names.ts'
import type { Exchange } from './exchanges.ts'
import type { ProgramOutput } from './library-program.ts'

/** An event as the management API lists it. */
export interface StoredEvent {
  readonly event: Readonly<Record<string, unknown>>
  readonly receivedAt: string
  readonly outcomes: Readonly<Record<string, number>>
}

/** Everything recorded while a program ran. */
export interface Observation {
  readonly library: Library
  readonly scenario: Scenario
  readonly scenarioName: ScenarioName
  readonly output: ProgramOutput
  readonly exchanges: readonly Exchange[]
  readonly deliveries: readonly ReceivedRequest[]
  readonly events: readonly StoredEvent[]
  readonly startedAt: number
  readonly endedAt: number
  /** The increase of the service's counter of requests with status 401. */
  readonly countedUnauthorized: number
}

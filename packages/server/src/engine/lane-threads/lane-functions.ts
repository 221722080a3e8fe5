import type { Delivery, Destination } from '@hookline/protocol'
import type { LaneId } from '../../backend/deliveries.ts'
import type { SharedChange } from '../../backend/shared-changes.ts'
import type { WorkerGivenUp } from '../../util/workers/supervisor.ts'
import type { LanesStatus, LaneState } from '../lanes.ts'
import type { LaneGroupSettings } from '../open-lane-group.ts'
import type { FreshBlock } from './fresh-block.ts'
import type { Owners } from './owners.ts'
import type { RecordedBlock } from './recorded-block.ts'

/** What a thread of lanes is started with. */
export interface LaneThreadData {
  /** Of `BackendThreads.connect`. */
  readonly backend: unknown
  readonly thread: number
  readonly threads: number
  readonly owners: Owners['known']
  readonly settings: LaneGroupSettings
  /** The port of the inspector on loopback. */
  readonly inspectorPort: number
}

/** A change, and the destinations that were given to threads with it. */
export interface TakenChange {
  readonly change: SharedChange
  readonly given: Owners['known']
}

/** What a thread of lanes offers to main. The methods of `Lanes`, for the destinations of the thread. */
export interface LaneThreadFunctions {
  deliver(block: FreshBlock): void
  wake(): void
  apply(change: TakenChange): void
  states(destinationIds: readonly string[]): Promise<ReadonlyMap<string, readonly LaneState[]>>
  attemptsOf(
    deliveries: readonly Pick<Delivery, 'id' | 'destinationId'>[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>>
  allowNow(webhooks: readonly LaneId[]): Promise<void>
  retryNow(webhooks: readonly LaneId[]): Promise<void>
  closeBreakers(webhooks: readonly LaneId[]): Promise<void>
  status(): Promise<LanesStatus>
  stopLanes(): void
  abort(): void
}

/** What main offers to a thread of lanes. */
export interface LaneMainFunctions {
  recorded(block: RecordedBlock): void
  putDestination(destination: Destination): Promise<void>
  /** A worker of the thread failed too often. */
  givenUp(failure: Omit<WorkerGivenUp, 'error'> & { readonly message: string }): void
  damaged(error: { readonly message: string; readonly errcode: number }): void
  /** A connection to the inspector was opened from this local port, or is closed. */
  admit(port: number): void
  dismiss(port: number): void
}

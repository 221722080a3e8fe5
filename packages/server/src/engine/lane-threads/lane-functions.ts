import type { Destination } from '@hookline/protocol'
import type { SharedChange } from '../../backend/threads.ts'
import type { InsideResponse, SentRequest } from '../../delivery/network/receiver-inside.ts'
import type { WireError } from '../../threads/channel.ts'
import type { WorkerGivenUp } from '../../util/workers/supervisor.ts'
import type { Lanes } from '../lanes.ts'
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
}

/** A change, and the destinations that were given to threads with it. */
export interface TakenChange {
  readonly change: SharedChange
  readonly given: Owners['known']
}

/** What a thread of lanes offers to main, for the destinations of the thread. */
export interface LaneThreadFunctions extends Pick<
  Lanes,
  'wake' | 'states' | 'attemptsOf' | 'allowNow' | 'retryNow' | 'closeBreakers' | 'status' | 'abort'
> {
  /** The thread has every change so far: its lanes take up what waits in the backend. Before this, they do nothing. */
  begin(): void
  deliver(block: FreshBlock): void
  apply(change: TakenChange): Promise<void>
  /** `Lanes.stop`. The name is taken: it ends the thread. */
  stopLanes(): void
}

/** What main offers to a thread of lanes. */
export interface LaneMainFunctions {
  recorded(block: RecordedBlock): void
  putDestination(destination: Destination): Promise<void>
  /** A worker of the thread failed too often. */
  givenUp(failure: Omit<WorkerGivenUp, 'error'> & { readonly message: string }): void
  /** The thread has found damage. */
  damaged(error: WireError): void
  /** A request to the inspector. */
  inspect(request: SentRequest): Promise<InsideResponse> | InsideResponse
  /** The response of the inspector to the request with this id was sent. */
  inspected(id: string): void
}

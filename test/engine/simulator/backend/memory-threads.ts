import type { Destination } from '@hookline/protocol'
import { CatalogReplica, snapshotOf } from '../../../../packages/server/src/backend/catalog.ts'
import type {
  BackendThreads,
  JoinedBackend,
  SharedChange,
  ThreadConnection,
} from '../../../../packages/server/src/backend/threads.ts'
import type { ProcessClock } from '../environment/process-clock.ts'
import type { Committer } from './committer.ts'
import type { DurableState } from './durable-state.ts'
import { AppliedPurges } from './applied-purges.ts'
import { SOURCES } from './memory-catalog.ts'
import type { MemoryChanges } from './memory-changes.ts'
import type { MemoryDeliveries } from './memory-deliveries.ts'
import { NO_NOTICES } from './no-notices.ts'
import { ThreadCommitter } from './thread-committer.ts'

/** Plain data that is sent to a thread, and with which it joins. */
interface MemoryJoinData {
  readonly connection: number
}

export interface MemoryThreadsOptions {
  readonly state: DurableState
  readonly committer: Committer
  readonly changes: MemoryChanges
  readonly purges: AppliedPurges
  /** Opens deliveries with separate claims, which write through the thread's committer. */
  readonly openDeliveries: (committer: ThreadCommitter) => MemoryDeliveries
}

export interface MemoryJoinOptions {
  /** The clock of the thread. */
  readonly clock: ProcessClock
  readonly putDestination: (destination: Destination) => Promise<void>
}

/** The threads that join the memory backend of one process. */
export class MemoryThreads implements Pick<
  BackendThreads,
  'connect' | 'onChange' | 'reportCorruption'
> {
  readonly #options: MemoryThreadsOptions
  readonly #connections = new Map<number, ThreadCommitter>()
  #last = 0

  constructor(options: MemoryThreadsOptions) {
    this.#options = options
  }

  async connect(): Promise<ThreadConnection> {
    const { committer } = this.#options
    const connection = ++this.#last
    const own = new ThreadCommitter(committer)
    this.#connections.set(connection, own)
    const data: MemoryJoinData = { connection }
    return { data, transfer: [], gone: own.gone }
  }

  onChange(listener: (change: SharedChange) => Promise<unknown>): () => void {
    return this.#options.changes.onChange(listener)
  }

  reportCorruption(error: Error): void {
    throw error
  }

  /** A thread joins with the data from `connect`, and gets the current state. */
  join(data: unknown, { clock, putDestination }: MemoryJoinOptions): JoinedBackend {
    const { connection } = data as MemoryJoinData
    const { state, openDeliveries, purges } = this.#options
    const committer = this.#connections.get(connection)!
    committer.join(clock)
    const snapshot = snapshotOf(SOURCES, state.destinations.values(), [])
    const catalog = Object.assign(new CatalogReplica(snapshot), { putDestination })
    const applied = new AppliedPurges(state)
    applied.addAll(purges.all)
    return {
      catalog,
      deliveries: openDeliveries(committer),
      // Quarantined items are logged as errors, and each error is a violation.
      quarantine: { add: async () => undefined },
      noticeQueue: NO_NOTICES,
      deletions: { isPurged: (carried) => applied.has(carried) },
      async apply(change) {
        if (change.kind === 'catalog') catalog.apply(change.change)
        else if (change.kind === 'purges') applied.addAll(purges.all)
      },
      [Symbol.asyncDispose]: () => committer.settled(),
    }
  }

  /** Called when the thread has exited, gracefully or not, and posts nothing more. */
  ended(data: unknown): void {
    this.#connections.get((data as MemoryJoinData).connection)?.end()
  }
}

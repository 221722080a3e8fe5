import type { Catalog } from '../../../../packages/server/src/backend/catalog.ts'
import type { Deliveries } from '../../../../packages/server/src/backend/deliveries.ts'
import type { Events } from '../../../../packages/server/src/backend/events.ts'
import type { Log } from '../../../../packages/server/src/backend/log.ts'
import type { DispatcherOptions } from '../../../../packages/server/src/delivery/dispatcher.ts'
import type { LanePorts } from '../../../../packages/server/src/engine/lane-group.ts'
import { Committer, type CommitterOptions } from './committer.ts'
import type { DurableState } from './durable-state.ts'
import { MemoryChanges } from './memory-changes.ts'
import { MemoryCatalog } from './memory-catalog.ts'
import { MemoryDeletions } from './memory-deletions.ts'
import { MemoryDeliveries } from './memory-deliveries.ts'
import { MemoryEvents } from './memory-events.ts'
import { MemoryLog } from './memory-log.ts'
import { MemoryThreads } from './memory-threads.ts'
import { AppliedPurges } from './applied-purges.ts'
import { NO_NOTICES } from './no-notices.ts'
import type { BackendListener } from './backend-listener.ts'

/** The parts of a backend that the engine uses. */
export interface SimulatedBackend extends AsyncDisposable, Pick<DispatcherOptions, 'quarantine'> {
  readonly log: Log
  readonly catalog: Catalog
  readonly events: Events
  readonly deliveries: Deliveries
  readonly noticeQueue: LanePorts['noticeQueue']
  readonly deletions: Pick<MemoryDeletions, 'isPurged' | 'purgeUser'>
  readonly threads: Pick<
    MemoryThreads,
    'connect' | 'onChange' | 'reportCorruption' | 'join' | 'ended'
  >
}

/** Opens the ports for one process on the durable state, in memory. */
export function openMemoryBackend(
  state: DurableState,
  options: CommitterOptions & { readonly listener: BackendListener },
): SimulatedBackend {
  const { listener } = options
  const committer = new Committer(options)
  const changes = new MemoryChanges()
  const purges = new AppliedPurges(state)
  const all = new Set<MemoryDeliveries>()
  const openDeliveries = (own: Pick<Committer, 'run' | 'read'>): MemoryDeliveries =>
    new MemoryDeliveries(state, own, listener, all)
  return {
    log: new MemoryLog(state, committer, listener),
    catalog: new MemoryCatalog(state, changes, listener),
    events: new MemoryEvents(state, committer, listener),
    deliveries: openDeliveries(committer),
    noticeQueue: NO_NOTICES,
    // Quarantined items are logged as errors, and each error is a violation.
    quarantine: { add: async () => undefined },
    deletions: new MemoryDeletions({ state, committer, changes, purges, listener }),
    threads: new MemoryThreads({ state, committer, changes, purges, openDeliveries }),
    [Symbol.asyncDispose]: () => committer[Symbol.asyncDispose](),
  }
}

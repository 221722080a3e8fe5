import type { Catalog } from '../../../../packages/server/src/backend/catalog.ts'
import type { Deliveries } from '../../../../packages/server/src/backend/deliveries.ts'
import type { Events } from '../../../../packages/server/src/backend/events.ts'
import type { Log } from '../../../../packages/server/src/backend/log.ts'
import type { DispatcherOptions } from '../../../../packages/server/src/delivery/dispatcher.ts'
import { Committer, type CommitterOptions } from './committer.ts'
import type { DurableState } from './durable-state.ts'
import { MemoryCatalog } from './memory-catalog.ts'
import { MemoryDeletions } from './memory-deletions.ts'
import { MemoryDeliveries } from './memory-deliveries.ts'
import { MemoryEvents } from './memory-events.ts'
import { MemoryLog } from './memory-log.ts'
import type { Witness } from '../rules/witness.ts'

/** What the engine, from the log to the receivers, needs of a backend. */
export interface SimulatedBackend
  extends AsyncDisposable, Pick<DispatcherOptions, 'quarantine' | 'upkeep'> {
  readonly log: Log
  readonly catalog: Catalog
  readonly events: Events
  readonly deliveries: Deliveries
  readonly deletions: Pick<MemoryDeletions, 'isPurged' | 'purgeUser'>
}

/** A process's view of the durable state: the ports, as the engine uses them, without a disk. */
export function openMemoryBackend(
  state: DurableState,
  options: CommitterOptions & { readonly witness: Witness },
): SimulatedBackend {
  const { witness } = options
  const committer = new Committer(options)
  const deliveries = new MemoryDeliveries(state, committer, witness)
  return {
    log: new MemoryLog(state, committer, witness),
    catalog: new MemoryCatalog(state),
    events: new MemoryEvents(state, committer, witness),
    deliveries,
    upkeep: { backlog: async () => ({ waiting: await deliveries.held() }) },
    // What is set aside is logged as an error: a bug, by every rule.
    quarantine: { add: async () => undefined },
    deletions: new MemoryDeletions(state, committer, witness),
    [Symbol.asyncDispose]: () => committer[Symbol.asyncDispose](),
  }
}

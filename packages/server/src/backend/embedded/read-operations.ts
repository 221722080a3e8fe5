import type { DatabaseSync } from 'node:sqlite'
import { select } from './database/select.ts'
import { findAnonymous } from './deletions/find-anonymous.ts'
import { listDeliveries } from './deliveries/read-deliveries.ts'
import { failuresOf } from './deliveries/read-failures.ts'
import { loadDueProfiles, loadProfiles, walkProfiles } from './evaluations/load-profiles.ts'
import { listEvents } from './events/read-events.ts'
import { replaySlice } from './replays/replay-scan.ts'

/**
 * Every long read of the backend. Each entry prepares what it needs on the connection of a thread, once, and returns the
 * function that performs the read. The thread runs that function inside a read transaction. It keeps the write-ahead log
 * from being emptied: a read takes a second at most, and a longer one is made of several.
 */
const OPERATIONS = {
  select,
  findAnonymous,
  listEvents,
  listDeliveries,
  failuresOf,
  replaySlice,
  loadDueProfiles,
  loadProfiles,
  walkProfiles,
}

export type ReadName = keyof typeof OPERATIONS
type Prepared<N extends ReadName> = ReturnType<(typeof OPERATIONS)[N]>
export type ReadInput<N extends ReadName> = Parameters<Prepared<N>>[0]
export type ReadResult<N extends ReadName> = ReturnType<Prepared<N>>

/** One read with its input, as it is posted to a thread. */
export interface Read {
  readonly name: ReadName
  readonly input: unknown
}

/** The function that performs reads on a connection. It prepares each operation when it is first asked for. */
export function readsOn(db: DatabaseSync): (read: Read) => unknown {
  const prepared = new Map<ReadName, (input: never) => unknown>()
  return ({ name, input }) => {
    const perform = prepared.get(name) ?? OPERATIONS[name](db)
    prepared.set(name, perform)
    return perform(input as never)
  }
}

import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { listDeliveries } from '../store/deliveries.ts'
import { listEvents } from '../store/events.ts'
import {
  loadDueProfiles,
  loadProfileOf,
  loadProfiles,
  walkProfiles,
} from '../store/profiles/load-profiles.ts'
import { listProfiles } from '../store/profiles/profile-list.ts'
import { findProfile } from '../store/profiles/stored-profiles.ts'
import type { Read as StoreRead } from '../store/store.ts'
import type { Row } from './database/rows.ts'
import { findPurged } from './deletions/find-purged.ts'
import { SqliteTx } from './sqlite-store.ts'

/** One SELECT. Its text is written in the code: only values come from outside. */
interface Selection {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** Performs any SELECT. */
function select(db: DatabaseSync): (selection: Selection) => Row[] {
  // Prepared for each read: a statement that is kept for each text that ever came would need memory without a bound.
  return ({ sql, values }) => db.prepare(sql).all(...values)
}

/**
 * Every long read of the backend. Each entry prepares what it needs on the connection of a thread, once, and returns the
 * function that performs the read. The thread runs that function inside a read transaction. It keeps the write-ahead log
 * from being emptied: a read takes a second at most, and a longer one is made of several.
 */
const OPERATIONS = {
  select,
  findPurged,
}

/** The reads of `store/`, which PostgreSQL has, too. Here they are found by the names of their functions. */
const READS: readonly StoreRead<never, unknown>[] = [
  listDeliveries,
  listEvents,
  findProfile,
  listProfiles,
  loadDueProfiles,
  loadProfileOf,
  loadProfiles,
  walkProfiles,
]

export type ReadName = keyof typeof OPERATIONS
type Prepared<N extends ReadName> = ReturnType<(typeof OPERATIONS)[N]>
export type ReadInput<N extends ReadName> = Parameters<Prepared<N>>[0]
export type ReadResult<N extends ReadName> = ReturnType<Prepared<N>>

/** One read with its input, as it is posted to a thread. */
export interface Read {
  /** One of OPERATIONS, or of READS. */
  readonly name: string
  readonly input: unknown
}

/**
 * The function that performs reads on a connection. It prepares each operation when it is first asked for. Its result may be a
 * promise that is settled without waiting for anything.
 */
export function readsOn(db: DatabaseSync): (read: Read) => unknown {
  const prepared = new Map<string, (input: never) => unknown>()
  const tx = new SqliteTx(db)
  for (const read of READS) prepared.set(read.name, (input) => read(tx, input))
  return ({ name, input }) => {
    const perform = prepared.get(name) ?? OPERATIONS[name as ReadName](db)
    prepared.set(name, perform)
    return perform(input as never)
  }
}

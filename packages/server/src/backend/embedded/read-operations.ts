import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { listDeliveries } from '../store/deliveries.ts'
import { listEvents } from '../store/events.ts'
import type { Read as StoreRead } from '../store/store.ts'
import type { Row } from './database/rows.ts'
import { findAnonymous } from './deletions/find-anonymous.ts'
import { loadDueProfiles, loadProfiles, walkProfiles } from './evaluations/load-profiles.ts'
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

/** The reads of `store/`, which PostgreSQL has, too. Here they are found by the names of their functions. */
const READS: readonly StoreRead<never, unknown>[] = [listDeliveries, listEvents]

interface NamedRead {
  /** One of READS. */
  readonly name: string
  readonly input: unknown
}

/** Performs a read of `store/`. Its promise is settled without waiting for anything. */
function read(db: DatabaseSync): (named: NamedRead) => Promise<unknown> {
  const tx = new SqliteTx(db)
  const byName = new Map(READS.map((each) => [each.name, each]))
  return ({ name, input }) => byName.get(name)!(tx, input as never)
}

/**
 * Every long read of the backend. Each entry prepares what it needs on the connection of a thread, once, and returns the
 * function that performs the read. The thread runs that function inside a read transaction. It keeps the write-ahead log
 * from being emptied: a read takes a second at most, and a longer one is made of several.
 */
const OPERATIONS = {
  select,
  read,
  findAnonymous,
  loadDueProfiles,
  loadProfiles,
  walkProfiles,
}

export type ReadName = keyof typeof OPERATIONS
type Prepared<N extends ReadName> = ReturnType<(typeof OPERATIONS)[N]>
export type ReadInput<N extends ReadName> = Parameters<Prepared<N>>[0]
export type ReadResult<N extends ReadName> = Awaited<ReturnType<Prepared<N>>>

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

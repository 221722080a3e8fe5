import { parentPort, workerData } from 'node:worker_threads'
import { DataDir } from './database/data-dir.ts'
import { failureOf, type OperationOutcome } from './database/sqlite-errors.ts'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { listDeliveries } from '../store/deliveries.ts'
import { listNames } from '../store/event-names.ts'
import { archivedEvents, listEvents } from '../store/events.ts'
import {
  loadDueProfiles,
  loadProfileOf,
  loadProfiles,
  walkProfiles,
} from '../store/profiles/load-profiles.ts'
import { listProfiles } from '../store/profiles/profile-list.ts'
import { findProfile } from '../store/profiles/stored-profiles.ts'
import type { Read as StoreRead } from '../store/store.ts'
import { findPurged } from './deletions/purge-events.ts'
import { SqliteTx } from './sqlite-store.ts'

/**
 * The long reads that only SQLite has. Each takes at most about a second, because the write-ahead log grows in the meantime.
 */
const OPERATIONS = { select, findPurged }

/** The reads shared with PostgreSQL, found by function name. */
const READS: readonly StoreRead<never, unknown>[] = [
  listDeliveries,
  archivedEvents,
  listEvents,
  listNames,
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

export interface ReadRequest {
  readonly name: string
  readonly input: unknown
}

const { file } = workerData as { readonly file: string }
const db = DataDir.openForReading(file)
const tx = new SqliteTx(db)
const prepared = new Map<string, (input: never) => unknown>()
for (const read of READS) prepared.set(read.name, (input) => read(tx, input))

/** Runs a read on one snapshot. It awaits only the database, so it settles before the next message is received. */
async function attempt(read: ReadRequest): Promise<OperationOutcome> {
  try {
    db.exec('BEGIN')
    try {
      return { ok: true, value: await perform(read) }
    } finally {
      // SQLite may have ended the transaction after an I/O error.
      if (db.isTransaction) db.exec('COMMIT')
    }
  } catch (error) {
    return failureOf(error)
  }
}

parentPort!.on('message', (read: ReadRequest | 'close') => {
  if (read === 'close') {
    db.close()
    parentPort!.close()
  } else {
    void attempt(read).then((result) => parentPort!.postMessage(result))
  }
})

/** Prepares an operation on first use. The result may be a settled promise. */
function perform({ name, input }: ReadRequest): unknown {
  const operation = prepared.get(name) ?? OPERATIONS[name as ReadName](db)
  prepared.set(name, operation)
  return operation(input as never)
}

function select(connection: DatabaseSync) {
  // Prepared each time: caching every text would need unbounded memory.
  return ({ sql, values }: { readonly sql: string; readonly values: readonly SQLInputValue[] }) =>
    connection.prepare(sql).all(...values)
}

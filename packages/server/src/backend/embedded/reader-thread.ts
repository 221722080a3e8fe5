import { parentPort, workerData } from 'node:worker_threads'
import { DataDir } from './database/data-dir.ts'
import { failure, type Result } from './database/sqlite-errors.ts'
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
import type { Row } from './database/statements.ts'
import { findPurged } from './deletions/purge-events.ts'
import { SqliteTx } from './sqlite-store.ts'

/**
 * Every long read of the backend. Each entry prepares what it needs on the connection of a thread, once, and returns the
 * function that performs the read. The thread runs that function inside a read transaction. It keeps the write-ahead log
 * from being emptied: a read takes a second at most, and a longer one is made of several.
 */
const OPERATIONS = { select, findPurged }

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

/** The input of the thread. */
export interface ReaderStart {
  readonly file: string
}

const { file } = workerData as ReaderStart
const db = DataDir.openForReading(file)
const tx = new SqliteTx(db)
const prepared = new Map<string, (input: never) => unknown>()
for (const read of READS) prepared.set(read.name, (input) => read(tx, input))

/**
 * Runs a read in a transaction, which sees the data as it is at one moment. The promise is settled before the next message is
 * received: no read awaits anything but the database.
 */
async function attempt(read: Read): Promise<Result> {
  try {
    db.exec('BEGIN')
    try {
      return { ok: true, value: await perform(read) }
    } finally {
      // SQLite ends the transaction itself after some faults of the machine.
      if (db.isTransaction) db.exec('COMMIT')
    }
  } catch (error) {
    return failure(error)
  }
}

parentPort!.on('message', (read: Read | 'close') => {
  if (read === 'close') {
    db.close()
    parentPort!.close()
  } else {
    void attempt(read).then((result) => parentPort!.postMessage(result))
  }
})

/** Prepares an operation when it is first needed. The result may be a promise that is settled without waiting for anything. */
function perform({ name, input }: Read): unknown {
  const operation = prepared.get(name) ?? OPERATIONS[name as ReadName](db)
  prepared.set(name, operation)
  return operation(input as never)
}

/** One SELECT. Its text is written in the code: only values come from outside. */
interface Selection {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** Performs any SELECT. */
function select(connection: DatabaseSync): (selection: Selection) => Row[] {
  // Prepared for each read: a statement that is kept for each text that ever came would need memory without a bound.
  return ({ sql, values }) => connection.prepare(sql).all(...values)
}

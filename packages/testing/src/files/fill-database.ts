import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { checksumOf } from '../../../server/src/util/event-checksum.ts'
import { KnownMessageIds } from '../../../server/src/backend/embedded/log/known-message-ids.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Changes the database of a stopped service in one transaction. Drops the indexes of events and recreates them at the
 * end, which is faster because their keys are random.
 */
export function fillDatabase(file: string, fill: (db: DatabaseSync) => void): void {
  using db = new DatabaseSync(file)
  // Durability does not matter, because the test starts again after a crash.
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN')
  const indexes = dropIndexes(db)
  fill(db)
  addChecksums(db)
  for (const sql of indexes) db.exec(sql)
  db.exec('COMMIT; PRAGMA journal_mode = WAL')
  // The service stores its filters as events arrive, so that startup need not read the messageIds again.
  void new KnownMessageIds(db, { dedupeWindowMs: DAY_MS })
  writeToDisk(file)
}

/** Adds the checksums of events that `fill` has created with `NO_CHECKSUM`. */
function addChecksums(db: DatabaseSync): void {
  db.function('checksum_of', { varargs: true }, (...values) => {
    const [body, ...head] = values
    return checksumOf(head as (string | number | null)[], body as Uint8Array)
  })
  db.exec(`UPDATE events SET checksum = checksum_of(CAST(body AS BLOB), id, source_id, message_id, type, received_at, warnings,
    user_id, previous_id, origin, rest) WHERE checksum = ${NO_CHECKSUM}`)
}

/** Placeholder checksum of copied events. `fillDatabase` computes the real one, which covers the id. */
export const NO_CHECKSUM = '0'

/** The rows in a table to copy, and how the copies differ. */
export interface CopiedRows {
  readonly table: string
  /** A SELECT of the rows to copy, which may have more columns than the table. */
  readonly originals: string
  /** The SQL condition that joins `original` with the rows of the temporary table `copy`; by default, all. */
  readonly on?: string
  /** The columns that differ, computed in SQL from `original` and `copy`. */
  readonly changed: Readonly<Record<string, string>>
}

/** Inserts the originals once for each row of the temporary table `copy`, in order. */
export function copyRows(
  db: DatabaseSync,
  { table, originals, on = 'TRUE', changed }: CopiedRows,
): void {
  const columns = db
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name))
  const values = columns.map((name) => changed[name] ?? `original.${name}`)
  db.exec(`CREATE TEMP TABLE original AS ${originals};
    INSERT INTO ${table} (${columns.join(', ')})
      SELECT ${values.join(', ')} FROM copy CROSS JOIN original ON ${on};
    DROP TABLE original`)
}

/** Syncs the file, so that the system is not still writing it to disk while the service is measured. */
function writeToDisk(file: string): void {
  const descriptor = openSync(file, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** @returns the SQL that recreates them */
function dropIndexes(db: DatabaseSync): readonly string[] {
  const indexes = db
    .prepare(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL
       AND tbl_name = 'events'`,
    )
    .all()
  for (const { name } of indexes) db.exec(`DROP INDEX ${String(name)}`)
  return indexes.map(({ sql }) => String(sql))
}

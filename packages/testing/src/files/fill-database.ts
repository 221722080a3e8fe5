import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { checksumOf } from '../../../server/src/util/event-checksum.ts'
import { KnownMessageIds } from '../../../server/src/backend/embedded/log/known-message-ids.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Changes the database of a stopped service in one transaction, without the indexes of events. They are created again
 * at the end, which is faster because their keys are random.
 */
export function fillDatabase(file: string, fill: (db: DatabaseSync) => void): void {
  using db = new DatabaseSync(file)
  // Durability does not matter here: after a crash the test starts again.
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN')
  const indexes = dropIndexes(db)
  fill(db)
  addChecksums(db)
  for (const sql of indexes) db.exec(sql)
  db.exec('COMMIT; PRAGMA journal_mode = WAL')
  // The service stores their filters as events arrive, so a start does not read the message ids again.
  void new KnownMessageIds(db, { dedupeWindowMs: DAY_MS })
  writeToDisk(file)
}

/** Adds the checksums of events that `fill` has given `NO_CHECKSUM`. */
function addChecksums(db: DatabaseSync): void {
  db.function('checksum_of', { varargs: true }, (...values) => {
    const [body, ...head] = values
    return checksumOf(head as (string | number | null)[], body as Uint8Array)
  })
  db.exec(`UPDATE events SET checksum = checksum_of(CAST(body AS BLOB), id, source_id, message_id, type, received_at, marks,
    user_id, previous_id, origin, rest) WHERE checksum = ${NO_CHECKSUM}`)
}

/** The checksum of the original is of its id: `fillDatabase` adds that of the copy. */
export const NO_CHECKSUM = '0'

/** Which rows of a table are copied, and how the copies differ. */
export interface Copied {
  readonly table: string
  /** A SELECT of the rows to copy, which may have more columns than the table. */
  readonly originals: string
  /** Which of them, as `original`, each row of the temporary table `copy` copies; by default all. */
  readonly on?: string
  /** The columns that differ, computed in SQL from `original` and `copy`. */
  readonly changed: Readonly<Record<string, string>>
}

/** Inserts the originals once for each row of the temporary table `copy`, in order. */
export function copyRows(
  db: DatabaseSync,
  { table, originals, on = 'TRUE', changed }: Copied,
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

/** Otherwise a gigabyte would be on its way to the disk while the service is measured. */
function writeToDisk(file: string): void {
  const descriptor = openSync(file, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** @returns the SQL that creates them */
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

import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { KnownMessageIds } from '../../../packages/server/src/backend/embedded/log/known-message-ids.ts'

/**
 * How many copies to make, and when they are due, in milliseconds since the epoch: the first ones at `dueAt`, the rest
 * later.
 */
export interface Copies {
  readonly count: number
  readonly dueFirst: number
  readonly dueAt: number
  readonly dueLaterAt: number
}

const DAY_MS = 24 * 60 * 60 * 1000
const PENDING = "state = 'pending' AND length(due_at) > 0"
const DELIVERED = "state = 'delivered'"

/**
 * Copies the only parked delivery and its event, directly in the database file of a stopped service. A million copies
 * take seconds. Columns that are not named here keep the value of the original.
 * @returns how many deliveries are pending now
 */
export function multiplyParked(
  file: string,
  { count, dueFirst, dueAt, dueLaterAt }: Copies,
): number {
  return multiply(file, {
    original: PENDING,
    numbers: `SELECT n, CASE WHEN n <= ${dueFirst} THEN ${dueAt} ELSE ${dueLaterAt} + n END AS due`,
    count,
    delivery: {
      first_due_at: String(dueAt),
      due_at: 'due',
      webhooks: "json_set(webhooks, '$[0].dueAt', due)",
    },
  })
}

/**
 * Copies the only delivered delivery and its event in the same way.
 * @returns how many deliveries have been delivered now
 */
export function multiplyDelivered(file: string, count: number): number {
  return multiply(file, { original: DELIVERED, numbers: 'SELECT n', count, delivery: {} })
}

interface Multiplied {
  /** The SQL condition that selects the original delivery. */
  readonly original: string
  /** A SELECT that computes values from each number `n`, for use in the columns. */
  readonly numbers: string
  readonly count: number
  /** The columns of the deliveries that differ from the original. */
  readonly delivery: Readonly<Record<string, string>>
}

function multiply(file: string, { original, numbers, count, delivery }: Multiplied): number {
  using db = new DatabaseSync(file)
  // Durability does not matter here: after a crash the test starts again.
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN')
  db.exec(`CREATE TEMP TABLE copy AS WITH RECURSIVE copy (n) AS
    (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ${count}) ${numbers} FROM copy`)
  const last = Number(db.prepare('SELECT MAX(seq) AS seq FROM events').get()?.['seq'])
  // The ids sort after those of earlier copies and before those that the service creates.
  const id = (prefix: string): string => `'${prefix}_' || printf('%026d', ${last} + n)`
  const indexes = dropIndexes(db)
  // Events first: the query for the original event needs the original delivery to be the only one that matches.
  copyRows(db, 'events', `id = (SELECT event_id FROM deliveries WHERE ${original})`, {
    seq: `${last} + n`,
    id: id('evt'),
    // Random, as real ones are, so the indexes are accessed at random places.
    message_id: 'lower(hex(randomblob(16)))',
    user_id: "'user-' || printf('%010d', abs(random()) % 1000000)",
    // That of the original is of its id. Events from before there were checksums have none.
    checksum: 'NULL',
  })
  copyRows(db, 'deliveries', original, { id: id('msg'), event_id: id('evt'), ...delivery })
  for (const sql of indexes) db.exec(sql)
  db.exec(`UPDATE log_position SET acked = ${last + count}; COMMIT; PRAGMA journal_mode = WAL`)
  // The service stores their filters as events arrive, so a start does not read the message ids again.
  void new KnownMessageIds(db, { dedupeWindowMs: DAY_MS })
  writeToDisk(file)
  const found = db.prepare(`SELECT COUNT(*) AS count FROM deliveries WHERE ${original}`)
  return Number(found.get()?.['count'])
}

/** Otherwise a gigabyte would be on its way to the disk while the service is measured. */
function writeToDisk(file: string): void {
  const descriptor = openSync(file, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/**
 * Drops the indexes of the events, whose keys are random: created again at the end, they are sorted once. The keys of
 * the other indexes come in order.
 * @returns the SQL that creates them
 */
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

/**
 * Inserts the original row once for each number, with some columns changed. CROSS JOIN keeps the order of the numbers.
 */
function copyRows(
  db: DatabaseSync,
  table: 'events' | 'deliveries',
  original: string,
  changed: Readonly<Record<string, string>>,
): void {
  const columns = db
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name))
  const values = columns.map((name) => changed[name] ?? `original.${name}`)
  db.exec(`CREATE TEMP TABLE original AS SELECT * FROM ${table} WHERE ${original} LIMIT 1;
    INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM copy CROSS JOIN original;
    DROP TABLE original`)
}

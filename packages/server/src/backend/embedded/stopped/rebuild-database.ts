import { existsSync, rmSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { addDamages } from '../damage/damages.ts'
import { removeFlag } from '../damage/damage-watch.ts'
import { type ReadRow, readRows, type StoredTable } from '../damage/readable-rows.ts'
import { DataDir } from '../database/data-dir.ts'
import { readableEventOf } from '../../store/event-rows.ts'
import { EVENT_COLUMNS } from '../log/event-row.ts'
import {
  migrate,
  refuseNewer,
  type Migration,
  MIGRATIONS,
  schemaVersion,
} from '../migrations/migrate.ts'
import { UnusableDatabase, replaceDatabase } from './stopped-database.ts'
import { hasTable } from '../database/statements.ts'

/** Tables that triggers and the next start make from the others. */
const DERIVED: ReadonlySet<string> = new Set([
  'waiting',
  'waiting_parts',
  'waiting_lanes',
  'message_id_filters',
])
/** Triggers refuse rows whose event, delivery or computation is not there yet: these tables come last. */
const LATE = ['deliveries', 'declined', 'attempts', 'quarantine', 'results']
/** Above this number of ranges, only the first and the last number are reported. */
const MAX_RANGES = 100

const NOTHING_LOST =
  'The database was rebuilt. All rows were readable: indexes, queues and counts were rebuilt from them.'
const SOME_LOST =
  'The database was rebuilt from the readable rows of a damaged one. Rows on damaged pages are missing.'

/** The result of a rebuild. */
export interface Rebuilt {
  /** The previous database, where the data folder had one. */
  readonly previous: string | undefined
  /** The missing rows, in words. */
  readonly missing: readonly string[]
}

/**
 * Rebuilds the database of a data folder from all rows that SQLite can read of a damaged one. Rows are copied; indexes, queues
 * and counts are rebuilt from them. The previous database stays beside the new one until a deletion of a user or the
 * retention removes it.
 * @param from the database to read; by default that of the folder itself
 * @throws {UnusableDatabase} where not even its tables can be found, and nothing was changed
 * @throws {DataDirInUse}
 */
export async function rebuildInto(dataDir: string, from?: string): Promise<Rebuilt> {
  using folder = new DataDir(dataDir)
  const { databaseFile } = folder
  const [fresh, previous] = [`${databaseFile}.rebuilt`, `${databaseFile}.damaged`]
  try {
    const missing = copyReadable(from ?? databaseFile, fresh)
    const kept = await replaceDatabase(databaseFile, fresh, previous)
    removeFlag(databaseFile)
    return { previous: kept, missing }
  } finally {
    removeDatabase(fresh)
  }
}

/** @returns the missing rows, in words */
function copyReadable(file: string, fresh: string): readonly string[] {
  removeDatabase(fresh)
  using source = openReadable(file)
  using db = DataDir.openForWriting(fresh)
  migrate(db, fresh, stepsOf(source))
  db.exec('BEGIN')
  const copied = tablesOf(db).map((table) => copyTable(source, db, table))
  const areEventsRead = copied.every(({ name, isRead }) => isRead || name !== 'events')
  const missing = copied.flatMap(({ report }) => report)
  const found = [...missing, ...missingEvents(db, areEventsRead), ...changedEvents(db)]
  const told = found.length > 0 || !isWhole(source) ? [SOME_LOST, ...found] : [NOTHING_LOST]
  addDamages(db, told)
  keepNumbers(db)
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  return told
}

/** @throws {UnusableDatabase} */
function openReadable(file: string): DatabaseSync {
  const unusable = (reason: string): UnusableDatabase =>
    new UnusableDatabase(
      `${file} cannot be rebuilt: ${reason} Restore a backup: hookline restore <backup> --replace`,
    )
  if (!existsSync(file)) throw unusable('There is no such file.')
  let db: DatabaseSync | undefined
  try {
    db = DataDir.openForReading(file)
    if (hasTable(db, 'events')) return db
  } catch (error) {
    db?.close()
    throw unusable(`SQLite cannot read its tables (${(error as Error).message}).`)
  }
  db.close()
  throw unusable('It is not a database of Hookline.')
}

/** The steps that the database has taken, because its rows fit to no other schema. The next start takes the others. */
function stepsOf(source: DatabaseSync): readonly Migration[] {
  const version = schemaVersion(source)
  refuseNewer(source, source.location() ?? '', MIGRATIONS)
  const taken = MIGRATIONS.filter((step) => step.version <= version)
  return taken.length > 0 ? taken : MIGRATIONS
}

/** The tables of the schema whose rows are copied, in the order in which they can be. */
function tablesOf(db: DatabaseSync): readonly StoredTable[] {
  const names = db
    .prepare(`SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'`)
    .all()
    .filter(({ name }) => !String(name).startsWith('sqlite_') && !DERIVED.has(String(name)))
    .toSorted((a, b) => LATE.indexOf(String(a['name'])) - LATE.indexOf(String(b['name'])))
  return names.map(({ name, wr }) => {
    const columns = db.prepare('SELECT name, cid, pk FROM pragma_table_info(?)').all(name!)
    const inKey = columns.filter(({ pk }) => Number(pk) > 0)
    const key = inKey.toSorted((a, b) => Number(a['pk']) - Number(b['pk']))
    return {
      name: String(name),
      columns: columns.map((column) => String(column['name'])),
      key: wr === 1 ? key.map(({ cid }) => Number(cid) + 1) : undefined,
    }
  })
}

interface CopiedTable {
  readonly name: string
  /** Whether all rows could be read. */
  readonly isRead: boolean
  /** The rows that are missing, in words. */
  readonly report: readonly string[]
}

/** Copies the readable rows. */
function copyTable(source: DatabaseSync, db: DatabaseSync, table: StoredTable): CopiedTable {
  const { name, columns } = table
  // The schema has made the rows of tables that have only one.
  const or = columns.includes('only_row') ? 'REPLACE' : 'IGNORE'
  const insert = db.prepare(
    `INSERT OR ${or} INTO "${name}" (${columns.map((each) => `"${each}"`).join()}) VALUES (${columns.map(() => '?').join()})`,
  )
  let refused = 0
  if (!hasTable(source, name))
    return { name, isRead: false, report: [`Table ${name}: it is missing.`] }
  const isRead = readRows(source, table, (row) => {
    if (row.length !== columns.length || !isInserted(insert, row)) refused++
  })
  // Triggers count the results again.
  if (name === 'computations') db.exec('UPDATE computations SET size = 0')
  const parts = [
    ...(isRead ? [] : ['some rows cannot be read']),
    ...(refused > 0
      ? [`${refused} rows were left out, because they are invalid or refer to missing rows`]
      : []),
  ]
  const report = parts.length > 0 ? [`Table ${name}: ${parts.join(', ')}.`] : []
  return { name, isRead, report }
}

function isInserted(insert: StatementSync, values: ReadRow): boolean {
  // JavaScript could not read it again.
  if (values.some((value) => typeof value === 'bigint' && !Number.isSafeInteger(Number(value))))
    return false
  try {
    return insert.run(...values).changes > 0
  } catch {
    return false
  }
}

/**
 * The numbers without an event. Purges and the retention also remove events, so numbers before the first event count only if
 * the old table could not be read.
 */
function missingEvents(db: DatabaseSync, areAllRead: boolean): string[] {
  const gaps = db
    .prepare(
      `SELECT seq + 1 AS first, next - 1 AS last FROM (
         SELECT seq, lead(seq, 1, 1 + max(seq, (SELECT acked FROM log_position))) OVER (ORDER BY seq) AS next
         FROM (SELECT seq FROM events UNION ALL SELECT 0 WHERE ${areAllRead ? 'FALSE' : 'TRUE'}))
       WHERE next > seq + 1 ORDER BY seq`,
    )
    .all()
    .map(({ first, last }) => [Number(first), Number(last)] as const)
  if (gaps.length === 0) return []
  return [`Table events: missing, or deleted earlier (${inWords(gaps)}).`]
}

/**
 * The numbers of events with other bytes than were stored. They stay in the archive, are not sent, and what belongs to them
 * may not know them any more.
 */
function changedEvents(db: DatabaseSync): string[] {
  const changed: (readonly [number, number])[] = []
  const rows = db.prepare(`SELECT seq, ${EVENT_COLUMNS} FROM events ORDER BY seq`)
  for (const row of rows.iterate()) {
    const seq = Number(row['seq'])
    if (readableEventOf(row) === undefined) changed.push([seq, seq])
  }
  if (changed.length === 0) return []
  return [`Table events: ${changed.length} rows have changed bytes (${inWords(changed)}).`]
}

function inWords(ranges: readonly (readonly [first: number, last: number])[]): string {
  const named = ranges.length > MAX_RANGES ? [[ranges[0]![0], ranges.at(-1)![1]] as const] : ranges
  return named.map(([first, last]) => `numbers ${first} to ${last}`).join(', ')
}

function isWhole(db: DatabaseSync): boolean {
  try {
    return db.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'] === 'ok'
  } catch {
    return false
  }
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
}

/** The tables whose numbers are never used again, and the last number that rows of other tables have. */
const NUMBERED = {
  fact_clauses: 'SELECT MAX(clause) AS last FROM facts',
  computations: `SELECT MAX(last) AS last FROM (
    SELECT MAX(computation) AS last FROM results UNION ALL SELECT MAX(computation) FROM announced
    UNION ALL SELECT MAX(computation) FROM listed_users
    UNION ALL SELECT MAX(computation) FROM computation_changes)`,
}

const LANES_OF_PARTS = ['deliveries', 'notices'].map(
  (table) => `SELECT part.value ->> '$.lane' AS lane
    FROM ${table}, json_each(iif(json_valid(webhooks), webhooks, '[]')) AS part`,
)
const LANES_OF_ATTEMPTS = `SELECT document ->> '$.lane' FROM attempts WHERE json_valid(document)`

/** After a rebuild, no new lane, clause, computation or identity gets the number of a lost one that rows still refer to. */
function keepNumbers(db: DatabaseSync): void {
  keepLanes(db)
  keepSequences(db)
  keepIdentities(db)
}

/** An identity whose leader is lost leads a profile of its own. */
function keepIdentities(db: DatabaseSync): void {
  const numbers = [
    'SELECT MAX(profile) AS last FROM identities',
    'SELECT MAX(id) FROM identities',
    'SELECT MAX(identity) FROM identity_traits',
    'SELECT MAX(identity) FROM facts',
    'SELECT MAX(anonymous) FROM claims',
    'SELECT MAX(claimer) FROM claims',
    'SELECT MAX(identity) FROM aliases',
    'SELECT MAX(profile) FROM results',
  ]
  db.exec(`
    UPDATE profiles_state SET identities = MAX(identities, (SELECT ifnull(MAX(last), 0) FROM (${numbers.join(' UNION ALL ')})));
    UPDATE identities SET profile = id, dirty_since = unixepoch() * 1000 WHERE profile NOT IN (SELECT id FROM identities);
    INSERT OR IGNORE INTO spaces SELECT DISTINCT space, 0 FROM identities;
    UPDATE spaces SET profiles = (SELECT COUNT(*) FROM identities WHERE space = spaces.name AND profile = id)`)
}

/** SQLite gives the next number after that in `sqlite_sequence`, and after those in the table itself. */
function keepSequences(db: DatabaseSync): void {
  const keep = db.prepare('INSERT INTO sqlite_sequence VALUES (?, ?)')
  db.exec('DELETE FROM sqlite_sequence')
  for (const [table, select] of Object.entries(NUMBERED))
    keep.run(table, db.prepare(select).get()!['last'] ?? 0)
}

/**
 * Nobody knows the URL of a lost lane. What waits in one waits for new parts, as a delivery without parts does. The last
 * lost number stays taken, by a lane of no webhook: with it, parts would go to the URL of another lane.
 */
function keepLanes(db: DatabaseSync): void {
  for (const table of ['deliveries', 'notices'])
    db.exec(
      `UPDATE ${table} SET webhooks = '[]', due_at = COALESCE(due_at, first_due_at) WHERE id IN (
         SELECT delivery_id FROM waiting_parts WHERE lane > 0 AND lane NOT IN (SELECT number FROM lanes))`,
    )
  db.exec(
    `INSERT OR IGNORE INTO lanes SELECT last, 'deliveries', '', '' FROM (
       SELECT MAX(CAST(lane AS INTEGER)) AS last
       FROM (${[...LANES_OF_PARTS, LANES_OF_ATTEMPTS].join(' UNION ALL ')}))
     WHERE last > (SELECT ifnull(MAX(number), 0) FROM lanes)`,
  )
}

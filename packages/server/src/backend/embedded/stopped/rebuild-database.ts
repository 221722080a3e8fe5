import { existsSync, rmSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { countText } from '../../../util/count-text.ts'
import { recordCorruption } from '../corruption/corruptions.ts'
import { removeFlag } from '../corruption/watch.ts'
import { type ReadRow, readRows, type StoredTable } from '../corruption/readable-rows.ts'
import { DataDir } from '../database/data-dir.ts'
import { readableEventOf } from '../../store/event-rows.ts'
import { EVENT_COLUMNS } from '../log/event-row.ts'
import { migrate, refuseNewer, MIGRATIONS, schemaVersion } from '../migrations/migrate.ts'
import { UnusableDatabaseError, replaceDatabase } from './stopped-database.ts'
import { hasTable } from '../database/statements.ts'

/** Tables derived by triggers and by the next start. */
const DERIVED: ReadonlySet<string> = new Set([
  'waiting',
  'waiting_parts',
  'waiting_lanes',
  'message_id_filters',
])
/**
 * Copied last: triggers refuse rows without their event or delivery, and count results in
 * `computations`.
 */
const LATE = ['deliveries', 'declined', 'attempts', 'quarantine', 'results']
/** With more ranges, only the first and last numbers are reported. */
const MAX_RANGES = 100

const NOTHING_LOST =
  'The database was rebuilt. All rows were readable: indexes, queues and counts were rebuilt from them.'
const SOME_LOST =
  'The database was rebuilt from the readable rows of a corrupted one. Rows on corrupted pages are missing.'

export interface RebuildResult {
  readonly previous: string | undefined
  readonly missing: readonly string[]
}

/**
 * Rebuilds the database of the folder from the readable rows of a corrupted file, by default its current database, which is
 * kept.
 * @throws {UnusableDatabaseError} if its tables cannot be found; nothing was changed @throws {DataDirInUseError}
 */
export async function rebuildInto(dataDir: string, from?: string): Promise<RebuildResult> {
  using folder = new DataDir(dataDir)
  const { databaseFile } = folder
  const [fresh, previous] = [`${databaseFile}.rebuilt`, `${databaseFile}.corrupted`]
  try {
    const missing = copyReadable(from ?? databaseFile, fresh)
    const previousCopy = await replaceDatabase(databaseFile, fresh, previous)
    removeFlag(databaseFile)
    return { previous: previousCopy, missing }
  } finally {
    removeDatabase(fresh)
  }
}

function copyReadable(file: string, fresh: string): readonly string[] {
  removeDatabase(fresh)
  using source = openReadable(file)
  using db = DataDir.openForWriting(fresh)
  refuseNewer(source, file, MIGRATIONS)
  // The schema version of the rows. The next start applies later migrations.
  migrate(db, fresh, MIGRATIONS.slice(0, Math.max(1, schemaVersion(source))))
  db.exec('BEGIN')
  const copied = tablesOf(db).map((table) => copyTable(source, db, table))
  const areEventsRead = copied.every(({ name, isRead }) => isRead || name !== 'events')
  const losses = [
    ...copied.flatMap((table) => table.report),
    ...missingEvents(db, areEventsRead),
    ...changedEvents(db),
  ]
  const report = losses.length > 0 || !isWhole(source) ? [SOME_LOST, ...losses] : [NOTHING_LOST]
  recordCorruption(db, report)
  keepNumbers(db)
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  return report
}

function openReadable(file: string): DatabaseSync {
  const unusable = (reason: string): UnusableDatabaseError =>
    new UnusableDatabaseError(
      `${file} cannot be rebuilt: ${reason} Restore a backup: hookline restore <backup> --replace`,
    )
  if (!existsSync(file)) throw unusable('File not found.')
  let db: DatabaseSync | undefined
  try {
    db = DataDir.openForReading(file)
    if (hasTable(db, 'events')) return db
  } catch (error) {
    db?.close()
    throw unusable(`SQLite cannot read its tables (${(error as Error).message}).`)
  }
  db.close()
  throw unusable('Not a Hookline database.')
}

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
  readonly isRead: boolean
  readonly report: readonly string[]
}

function copyTable(source: DatabaseSync, db: DatabaseSync, table: StoredTable): CopiedTable {
  const { name, columns } = table
  // The schema has inserted the only row.
  const or = columns.includes('only_row') ? 'REPLACE' : 'IGNORE'
  const insert = db.prepare(
    `INSERT OR ${or} INTO "${name}" (${columns.map((each) => `"${each}"`).join()}) VALUES (${columns.map(() => '?').join()})`,
  )
  let refused = 0
  if (!hasTable(source, name)) return { name, isRead: false, report: [`Table ${name}: missing.`] }
  const isRead = readRows(source, table, (row) => {
    if (row.length !== columns.length || !isInserted(insert, row)) refused++
  })
  // Triggers count the results again.
  if (name === 'computations') db.exec('UPDATE computations SET size = 0')
  const report: string[] = []
  if (!isRead) report.push(`Table ${name}: some rows cannot be read.`)
  if (refused > 0) {
    const rows = countText(refused, 'row is invalid or refers', 'rows are invalid or refer')
    report.push(`Table ${name}: ${rows} to missing rows.`)
  }
  return { name, isRead, report }
}

function isInserted(insert: StatementSync, values: ReadRow): boolean {
  // A corrupted integer that JavaScript cannot represent exactly: the service could not read the row.
  if (values.some((value) => typeof value === 'bigint' && !Number.isSafeInteger(Number(value))))
    return false
  try {
    return insert.run(...values).changes > 0
  } catch {
    return false
  }
}

/** Positions without an event. Those before the first event were probably removed on purpose, unless rows were unreadable. */
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
  return [`Table events: rows are missing or were deleted earlier (${formatRanges(gaps)}).`]
}

/** Positions of events with a checksum mismatch. They stay in the archive and are not sent. */
function changedEvents(db: DatabaseSync): string[] {
  const changed = db
    .prepare(`SELECT seq, ${EVENT_COLUMNS} FROM events ORDER BY seq`)
    .iterate()
    .filter((row) => readableEventOf(row) === undefined)
    .map(({ seq }) => [Number(seq), Number(seq)] as const)
    .toArray()
  if (changed.length === 0) return []
  const rows = countText(changed.length, 'row has', 'rows have')
  return [`Table events: ${rows} a checksum mismatch (${formatRanges(changed)}).`]
}

function formatRanges(ranges: readonly (readonly [first: number, last: number])[]): string {
  const named = ranges.length > MAX_RANGES ? [[ranges[0]![0], ranges.at(-1)![1]] as const] : ranges
  return named
    .map(([first, last]) => (first === last ? `number ${first}` : `numbers ${first} to ${last}`))
    .join(', ')
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

/** Tables whose numbers are never reused, and the last number that other tables refer to. */
const NUMBERED = {
  fact_clauses: 'SELECT MAX(clause) AS last FROM facts',
  computations: `SELECT MAX(last) AS last FROM (
    SELECT MAX(computation) AS last FROM results UNION ALL SELECT MAX(computation) FROM announced
    UNION ALL SELECT MAX(computation) FROM listed_users)`,
}

const LANES_OF_PARTS = ['deliveries', 'notices'].map(
  (table) => `SELECT part.value ->> '$.lane' AS lane
    FROM ${table}, json_each(iif(json_valid(webhooks), webhooks, '[]')) AS part`,
)
const LANES_OF_ATTEMPTS = `SELECT document ->> '$.lane' FROM attempts WHERE json_valid(document)`

/** Prevents the reuse of lost lane, clause, computation and identity numbers that rows still refer to. */
function keepNumbers(db: DatabaseSync): void {
  keepLanes(db)
  keepSequences(db)
  keepIdentities(db)
}

/** An identity whose leader is lost leads its own profile. */
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

/** SQLite's next number follows `sqlite_sequence` and the table's own numbers. */
function keepSequences(db: DatabaseSync): void {
  const keep = db.prepare('INSERT INTO sqlite_sequence VALUES (?, ?)')
  db.exec('DELETE FROM sqlite_sequence')
  for (const [table, select] of Object.entries(NUMBERED))
    keep.run(table, db.prepare(select).get()!['last'] ?? 0)
}

/** Splits deliveries of lost lanes into parts again. Lost numbers stay reserved: otherwise parts would go to the URL of a new lane. */
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

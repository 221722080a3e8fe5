import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { syncFolderNow } from '../../../util/durable-file.ts'
import { DataDir } from '../database/data-dir.ts'
import { countsCommits, lastCommit } from './commit-counter.ts'
import { readBTreePage } from './b-tree-page.ts'
import { addDamages, type Damage } from './damages.ts'
import { changedEvents } from './changed-events.ts'
import { migrateEmpty } from './known-schema.ts'
import { keepNumbers } from './numbers.ts'
import { Pages } from './pages.ts'
import { type Table, tablesOf } from './table-shapes.ts'
import { type FoundTable, findTables } from './tables.ts'

const NOTHING_LOST = {
  description:
    'The database was damaged. Every row could be read: indexes, queues and counts were made again from them.',
  blocks: false,
}
/** Tables that triggers and the next start make from the others. */
const DERIVED: ReadonlySet<string> = new Set([
  'waiting',
  'waiting_parts',
  'waiting_lanes',
  'spaces',
  'message_id_filters',
])
/** Where the header of the file has the version of the schema (sqlite.org/fileformat2.html §1.3). */
const VERSION_AT = 60
/** Triggers refuse rows whose event, delivery or computation is not there yet: these tables come last. */
const LATE = ['deliveries', 'declined', 'attempts', 'quarantine', 'results']

/**
 * Makes a new database from everything that can be read of a damaged one, and keeps the damaged one as
 * `hookline.db.damaged`. It reads the pages itself, because SQLite gives up a table at its first damaged page.
 * Indexes, queues and counts are made again from the rows. The new database knows what is lost (`damages`).
 * @param commits the number of the last commit, for a database that has lost it
 */
export function salvage(file: string, commits: number): void {
  const fresh = `${file}.salvaging`
  rmSync(fresh, { force: true })
  {
    using pages = new Pages(file)
    using db = DataDir.openForWriting(fresh)
    migrateEmpty(db, fresh, pages.read(1)?.readUInt32BE(VERSION_AT) ?? 0)
    db.exec('PRAGMA synchronous = OFF; BEGIN')
    const damages = [...copyTables(db, pages), ...changedEvents(db)]
    addDamages(db, damages.length > 0 ? damages : [NOTHING_LOST])
    keepCommits(db, commits)
    keepNumbers(db)
    db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  }
  sync(fresh)
  for (const suffix of ['-wal', '-shm']) rmSync(fresh + suffix, { force: true })
  renameSync(fresh, salvagedFileOf(file))
  replace(file)
}

/** Goes on with a salvage that was cut off after it had moved the damaged file away. */
export function finishSalvage(file: string): void {
  if (!existsSync(file) && existsSync(salvagedFileOf(file))) putInPlace(file)
}

function salvagedFileOf(file: string): string {
  return `${file}.salvaged`
}

/** Where the log position is lost, the database still has the number of its last commit. */
function keepCommits(db: DatabaseSync, commits: number): void {
  if (!countsCommits(db) || lastCommit(db) > 0) return
  db.prepare('UPDATE log_position SET commits = ?').run(commits)
}

function copyTables(db: DatabaseSync, pages: Pages): Damage[] {
  const tables = tablesOf(db)
  const found = findTables(pages, tables)
  const copied = tables.filter(({ name }) => !DERIVED.has(name))
  const inOrder = copied.toSorted((a, b) => LATE.indexOf(a.name) - LATE.indexOf(b.name))
  // The rows that the migrations have made.
  const single = copied.filter(({ name }) => db.prepare(`SELECT 1 FROM "${name}"`).get())
  return inOrder.flatMap((table) => {
    const of = found.get(table.name)!
    if (single.includes(table) && of.pages.length > 0) db.exec(`DELETE FROM "${table.name}"`)
    const refused = copyRows(db, pages, table, of)
    return lossOf(table.name, of, refused)
  })
}

/** Returns how many rows the database has refused. */
function copyRows(
  db: DatabaseSync,
  pages: Pages,
  { name, isRow, insert }: Table,
  { pages: numbers }: FoundTable,
): number {
  let refused = 0
  for (const number of numbers)
    for (const row of readBTreePage(pages, number)!.rows)
      if (isRow(row) && !tryTo(() => insert(row))) refused++
  // Triggers count the results again.
  if (name === 'computations') db.exec('UPDATE computations SET size = 0')
  return refused
}

function tryTo(insert: () => boolean): boolean {
  try {
    return insert()
  } catch {
    return false
  }
}

function lossOf(table: string, found: FoundTable, refused: number): Damage[] {
  const { damagedPages, damagedRows, gaps } = found
  const rows = damagedRows + refused
  const parts = [
    ...(damagedPages > 0 ? [`${damagedPages} pages cannot be read`] : []),
    ...(rows > 0 ? [`${rows} rows cannot be read, or belong to lost ones`] : []),
  ]
  if (parts.length === 0) return []
  const ranges = gaps.flatMap(([after, through]) =>
    after === undefined && through === undefined
      ? []
      : [`${after === undefined ? 'the first' : `after ${after}`} to ${through ?? 'the last'}`],
  )
  const where = ranges.length > 0 ? ` (numbers ${ranges.join(', ')})` : ''
  const description = `Table ${table}: ${parts.join(', ')}${where}.`
  return [{ description, blocks: table === 'catalog' }]
}

/** The damaged files stay beside the new one, until a deletion of a user or the retention removes them. */
function replace(file: string): void {
  rmSync(`${file}.damaged-wal`, { force: true })
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${file}.damaged-wal`)
  renameSync(file, `${file}.damaged`)
  putInPlace(file)
}

/** The write-ahead log of the damaged database goes first: SQLite would apply it to the new one. */
function putInPlace(file: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
  syncFolderNow(dirname(file))
  renameSync(salvagedFileOf(file), file)
  syncFolderNow(dirname(file))
}

function sync(file: string): void {
  const handle = openSync(file, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

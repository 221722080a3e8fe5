import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { isDamage } from '../database/sqlite-errors.ts'

/** The values of a row, in the order of its columns. */
export type ReadRow = readonly SQLOutputValue[]

/** A table, and the columns that its rows are stored by. */
export interface StoredTable {
  readonly name: string
  readonly columns: readonly string[]
  /** The places of the primary key of a table WITHOUT ROWID, from 1; `undefined` for one whose rows have numbers. */
  readonly key: readonly number[] | undefined
}

/**
 * Gives `take` every row of a table that SQLite can read. SQLite ends a read at the first damaged page: so the table is read
 * from both ends, and where its rows have numbers, what is between is halved until only the numbers of damaged pages are left.
 * No column is named, because the definition of the table may be damaged, too.
 * @returns whether all of it could be read
 */
export function readRows(
  db: DatabaseSync,
  { name, key }: StoredTable,
  take: (row: ReadRow) => void,
): boolean {
  return key === undefined ? readNumbered(db, name, take) : readKeyed(db, name, key, take)
}

function readKeyed(
  db: DatabaseSync,
  name: string,
  key: readonly number[],
  take: (row: ReadRow) => void,
): boolean {
  const rows = (direction: string): Iterator<ReadRow> =>
    iterate(db, `SELECT * FROM "${name}" ORDER BY ${key.map((place) => place + direction).join()}`)
  return upToDamage(() => rows(' ASC'), take) || (upToDamage(() => rows(' DESC'), take), false)
}

/** No table of ours has a negative number. */
const FIRST_ROWID = -1
const LAST_ROWID = Number.MAX_SAFE_INTEGER - 1

function readNumbered(db: DatabaseSync, name: string, take: (row: ReadRow) => void): boolean {
  const select = `SELECT rowid, * FROM "${name}" WHERE rowid > ? AND rowid <= ? ORDER BY rowid`
  const readSpan = (after: number, through: number): boolean => {
    let [last, first] = [after, through + 1]
    const taking =
      (seen: (rowid: number) => void) =>
      ([rowid, ...row]: ReadRow) => {
        seen(Number(rowid))
        take(row)
      }
    const ascending = taking((rowid) => (last = rowid))
    if (upToDamage(() => iterate(db, select, [after, through]), ascending)) return true
    const descending = taking((rowid) => (first = rowid))
    const isRead = upToDamage(() => iterate(db, `${select} DESC`, [last, through]), descending)
    // Nobody knows how many numbers there are after the last one.
    if (isRead || first - last <= 2 || first > LAST_ROWID) return false
    const middle = Math.floor((last + first) / 2)
    readSpan(last, middle)
    readSpan(middle, first - 1)
    return false
  }
  return readSpan(FIRST_ROWID, LAST_ROWID)
}

/** Whether all rows could be read; otherwise those before the damage were. */
function upToDamage(open: () => Iterator<ReadRow>, take: (row: ReadRow) => void): boolean {
  try {
    const rows = open()
    for (let row = rows.next(); row.done !== true; row = rows.next()) take(row.value)
    return true
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}

function iterate(db: DatabaseSync, sql: string, values: readonly number[] = []): Iterator<ReadRow> {
  const statement = db.prepare(sql)
  // A damaged number may be larger than JavaScript's.
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  return statement.iterate(...values) as unknown as Iterator<ReadRow>
}

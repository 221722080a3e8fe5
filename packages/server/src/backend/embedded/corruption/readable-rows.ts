import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { isCorruption } from '../database/sqlite-errors.ts'

/** The values in a row, in column order. */
export type ReadRow = readonly SQLOutputValue[]

export interface StoredTable {
  readonly name: string
  readonly columns: readonly string[]
  /** Primary key columns (1-based) of a WITHOUT ROWID table; `undefined` for a rowid table. */
  readonly key: readonly number[] | undefined
}

/** Passes the readable rows in a table to `take`, read from both ends around bad pages. Returns whether all were readable. */
export function readRows(
  db: DatabaseSync,
  { name, key }: StoredTable,
  take: (row: ReadRow) => void,
): boolean {
  if (key === undefined) return readNumbered(db, name, take)
  const rows = (direction: string): Iterator<ReadRow> =>
    iterate(db, `SELECT * FROM "${name}" ORDER BY ${key.map((place) => place + direction).join()}`)
  return (
    upToCorruption(() => rows(' ASC'), take) || (upToCorruption(() => rows(' DESC'), take), false)
  )
}

/** Before all rows: no table has a negative rowid. */
const FIRST_ROWID = -1
const LAST_ROWID = Number.MAX_SAFE_INTEGER - 1

function readNumbered(db: DatabaseSync, name: string, take: (row: ReadRow) => void): boolean {
  const select = `SELECT rowid, * FROM "${name}" WHERE rowid > ? AND rowid <= ? ORDER BY rowid`
  const readSpan = (after: number, through: number): boolean => {
    let [last, first] = [after, through + 1]
    const ascending = ([rowid, ...row]: ReadRow): void => {
      last = Number(rowid)
      take(row)
    }
    if (upToCorruption(() => iterate(db, select, [after, through]), ascending)) return true
    const descending = ([rowid, ...row]: ReadRow): void => {
      first = Number(rowid)
      take(row)
    }
    const isRead = upToCorruption(() => iterate(db, `${select} DESC`, [last, through]), descending)
    // If no row at the end of the table is readable, the range has no upper bound and cannot be halved.
    if (isRead || first - last <= 2 || first > LAST_ROWID) return false
    const middle = Math.floor((last + first) / 2)
    readSpan(last, middle)
    readSpan(middle, first - 1)
    return false
  }
  return readSpan(FIRST_ROWID, LAST_ROWID)
}

function upToCorruption(open: () => Iterator<ReadRow>, take: (row: ReadRow) => void): boolean {
  try {
    const rows = open()
    for (let row = rows.next(); row.done !== true; row = rows.next()) take(row.value)
    return true
  } catch (error) {
    if (isCorruption(error)) return false
    throw error
  }
}

function iterate(db: DatabaseSync, sql: string, values: readonly number[] = []): Iterator<ReadRow> {
  const statement = db.prepare(sql)
  // A corrupted number may exceed JavaScript's safe integers.
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  return statement.iterate(...values) as unknown as Iterator<ReadRow>
}

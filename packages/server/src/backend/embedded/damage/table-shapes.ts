import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { StoredRow } from './cell.ts'
import type { TableShape } from './tables.ts'

interface Column {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly hasDefault: boolean
  /** The column that is the rowid itself. Its field is `NULL`. */
  readonly isRowid: boolean
}

/** A table of the new database, and how rows of the damaged one come into it. */
export interface Table extends TableShape {
  /** Inserts a row. Returns false where the database refuses it. */
  readonly insert: (row: StoredRow) => boolean
}

/** The tables of a database that has the schema. */
export function tablesOf(db: DatabaseSync): readonly Table[] {
  const tables = db
    .prepare(`SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'`)
    .all()
  return tables
    .filter(({ name }) => !String(name).startsWith('sqlite_'))
    .map(({ name, wr }) => tableOf(db, String(name), wr === 1))
}

function tableOf(db: DatabaseSync, name: string, isWithoutRowid: boolean): Table {
  const columns = columnsOf(db, name, isWithoutRowid)
  return {
    name,
    kind: isWithoutRowid ? 'index' : 'rowid',
    isRow: ({ fields }) => fits(fields, columns),
    insert: inserter(db, name, columns),
  }
}

/** In the order of the fields of a row: in a table WITHOUT ROWID, those of the primary key come first. */
function columnsOf(db: DatabaseSync, table: string, isWithoutRowid: boolean): readonly Column[] {
  const rows = db.prepare('SELECT * FROM pragma_table_xinfo(?) ORDER BY cid').all(table)
  const inKey = rows.filter(({ pk }) => Number(pk) > 0)
  const stored = isWithoutRowid
    ? [
        ...inKey.toSorted((a, b) => Number(a['pk']) - Number(b['pk'])),
        ...rows.filter((row) => !inKey.includes(row)),
      ]
    : rows
  return stored.map((row) => ({
    name: String(row['name']),
    type: String(row['type']),
    isRequired: row['notnull'] === 1,
    hasDefault: row['dflt_value'] !== null,
    isRowid: !isWithoutRowid && inKey.length === 1 && inKey[0] === row && row['type'] === 'INTEGER',
  }))
}

/** A row that was stored before a column was added has no field for it. */
function fits(fields: readonly SQLInputValue[], columns: readonly Column[]): boolean {
  if (fields.length === 0 || fields.length > columns.length) return false
  return columns.every((column, index) => {
    if (index >= fields.length) return !column.isRequired || column.hasDefault
    return column.isRowid || isOfType(fields[index]!, column)
  })
}

function isOfType(value: SQLInputValue, { type, isRequired }: Column): boolean {
  if (value === null) return !isRequired
  if (type === 'TEXT') return typeof value === 'string'
  if (type === 'BLOB') return typeof value === 'object'
  return typeof value === 'number' || typeof value === 'bigint'
}

function inserter(
  db: DatabaseSync,
  table: string,
  columns: readonly Column[],
): (row: StoredRow) => boolean {
  const statements = new Map<number, ReturnType<DatabaseSync['prepare']>>()
  const statementFor = (count: number) => {
    const known = statements.get(count)
    if (known !== undefined) return known
    const names = columns.slice(0, count).map(({ name }) => `"${name}"`)
    const sql = `INSERT OR IGNORE INTO "${table}" (${names.join()}) VALUES (${names.map(() => '?').join()})`
    const statement = db.prepare(sql)
    statements.set(count, statement)
    return statement
  }
  return ({ rowid, fields }) => {
    const values = fields.map((field, index) => (columns[index]!.isRowid ? rowid! : field))
    return statementFor(fields.length).run(...values).changes > 0
  }
}

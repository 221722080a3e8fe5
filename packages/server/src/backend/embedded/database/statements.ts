import type { DatabaseSync, SQLInputValue, StatementSync, SQLOutputValue } from 'node:sqlite'

export type SqliteRow = Record<string, SQLOutputValue>

export function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined
}

/** Statements of one connection, prepared on first use. There are few, because their texts are constants. */
export class Statements {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  all(sql: string, values: readonly SQLInputValue[]): SqliteRow[] {
    const statement = this.#prepare(sql)
    try {
      return statement.all(...values)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE') throw error
      return allWithLargeNumbers(statement, values)
    }
  }

  run(sql: string, values: readonly SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes)
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = this.#db.prepare(sql)
      this.#prepared.set(sql, statement)
    }
    return statement
  }

  /** Runs several SELECTs in one read transaction, which locks only once. */
  inReadTransaction<T>(select: () => T): T {
    this.#db.exec('BEGIN')
    try {
      return select()
    } finally {
      // SQLite may have ended the transaction after an I/O error.
      if (this.#db.isTransaction) this.#db.exec('COMMIT')
    }
  }
}

function allWithLargeNumbers(
  statement: StatementSync,
  values: readonly SQLInputValue[],
): SqliteRow[] {
  statement.setReadBigInts(true)
  try {
    return statement.all(...values).map((row) => {
      const columns = Object.entries(row)
      const read = columns.map(([name, value]) => [
        name,
        typeof value === 'bigint' ? Number(value) : value,
      ])
      return Object.fromEntries(read) as SqliteRow
    })
  } finally {
    statement.setReadBigInts(false)
  }
}

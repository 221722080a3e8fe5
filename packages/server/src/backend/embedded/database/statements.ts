import type { DatabaseSync, SQLInputValue, StatementSync, SQLOutputValue } from 'node:sqlite'

/** One row of a SELECT, by column. */
export type Row = Record<string, SQLOutputValue>

/** A nullable INTEGER column as a number. */
export function numberOrNull(value: SQLOutputValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value)
}

/** Whether the database has the table. One that is new or damaged may lack it. */
export function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined
}

/** Statements on one connection, each prepared when it is first used. Their texts are written in the code, so they are few. */
export class Statements {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  all(sql: string, values: readonly SQLInputValue[]): Row[] {
    const statement = this.#prepare(sql)
    try {
      return statement.all(...values)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE') throw error
      return allWithLargeNumbers(statement, values)
    }
  }

  /** Returns the number of rows that were inserted, updated or deleted. */
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

  /**
   * Runs several SELECTs in one read transaction, which takes the lock and looks up the write-ahead log once
   * for all of them.
   */
  together<T>(select: () => T): T {
    this.#db.exec('BEGIN')
    try {
      return select()
    } finally {
      // SQLite ends the transaction itself after some faults of the machine.
      if (this.#db.isTransaction) this.#db.exec('COMMIT')
    }
  }
}

/** The rows, where a number in one of them is larger than any that Hookline writes: the row is damaged, and the others are not. */
function allWithLargeNumbers(statement: StatementSync, values: readonly SQLInputValue[]): Row[] {
  statement.setReadBigInts(true)
  try {
    return statement.all(...values).map((row) => {
      const columns = Object.entries(row)
      const read = columns.map(([name, value]) => [
        name,
        typeof value === 'bigint' ? Number(value) : value,
      ])
      return Object.fromEntries(read) as Row
    })
  } finally {
    statement.setReadBigInts(false)
  }
}

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Row } from './rows.ts'

/** SELECTs on one connection, each prepared when it is first used. */
export class Statements {
  readonly #reader: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(reader: DatabaseSync) {
    this.#reader = reader
  }

  all(sql: string, values: readonly SQLInputValue[]): Row[] {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = this.#reader.prepare(sql)
      this.#prepared.set(sql, statement)
    }
    try {
      return statement.all(...values)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE') throw error
      return allWithLargeNumbers(statement, values)
    }
  }

  /**
   * Runs several SELECTs in one read transaction, which takes the lock and looks up the write-ahead log once
   * for all of them.
   */
  together<T>(select: () => T): T {
    this.#reader.exec('BEGIN')
    try {
      return select()
    } finally {
      // SQLite ends the transaction itself after some faults of the machine.
      if (this.#reader.isTransaction) this.#reader.exec('COMMIT')
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

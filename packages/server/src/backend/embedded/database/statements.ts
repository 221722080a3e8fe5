import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'

/** SELECTs on one connection, each prepared when first used. */
export class Statements {
  readonly #reader: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(reader: DatabaseSync) {
    this.#reader = reader
  }

  /** ` AND column = ?` for each column that has a value, with the values in order. */
  static where(equals: Readonly<Record<string, string | undefined>>): {
    readonly where: string
    readonly values: readonly string[]
  } {
    const given = Object.entries(equals).filter((entry) => entry[1] !== undefined)
    return {
      where: given.map(([column]) => ` AND ${column} = ?`).join(''),
      values: given.map(([, value]) => value!),
    }
  }

  all(sql: string, values: readonly SQLInputValue[]): Record<string, SQLOutputValue>[] {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = this.#reader.prepare(sql)
      this.#prepared.set(sql, statement)
    }
    return statement.all(...values)
  }

  /** Many SELECTs, without locks and looks at the log for each of them. */
  together<T>(select: () => T): T {
    this.#reader.exec('BEGIN')
    try {
      return select()
    } finally {
      this.#reader.exec('COMMIT')
    }
  }
}

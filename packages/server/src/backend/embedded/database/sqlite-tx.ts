import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { type Dialect, SQLITE } from '../../store/dialect.ts'
import type { Statement } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'

interface Compiled {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

export function compiled(statement: Statement): Compiled {
  const values = statement.values.map((value) =>
    typeof value === 'boolean' ? Number(value) : value,
  )
  return { sql: statement.text(() => '?'), values: values as readonly SQLInputValue[] }
}

/** The transaction that is open on a connection. Its promises are settled when they are returned. */
export class SqliteTx implements Tx {
  readonly dialect: Dialect = SQLITE
  readonly #db: DatabaseSync
  /** By text. The texts are written in the code, so they are few. */
  readonly #prepared = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  async all<Row>(statement: Statement<Row>): Promise<Row[]> {
    const { sql, values } = compiled(statement)
    return this.#prepare(sql).all(...values) as Row[]
  }

  async run(statement: Statement): Promise<number> {
    const { sql, values } = compiled(statement)
    return Number(this.#prepare(sql).run(...values).changes)
  }

  #prepare(sql: string): StatementSync {
    const prepared = this.#prepared.get(sql) ?? this.#db.prepare(sql)
    this.#prepared.set(sql, prepared)
    return prepared
  }
}

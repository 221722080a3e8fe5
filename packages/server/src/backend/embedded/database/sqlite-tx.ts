import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  DummyDriver,
  Kysely,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { type Dialect, SQLITE } from '../../store/dialect.ts'
import type { Tx } from '../../store/store.ts'

/** It only compiles statements. */
const COMPILER = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

interface Compiled {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

export function compiled(statement: RawBuilder<unknown>): Compiled {
  const { sql, parameters } = statement.compile(COMPILER)
  const values = parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value))
  return { sql, values: values as readonly SQLInputValue[] }
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

  async all<Row>(statement: RawBuilder<Row>): Promise<Row[]> {
    const { sql, values } = compiled(statement)
    return this.#prepare(sql).all(...values) as Row[]
  }

  async run(statement: RawBuilder<unknown>): Promise<number> {
    const { sql, values } = compiled(statement)
    return Number(this.#prepare(sql).run(...values).changes)
  }

  #prepare(sql: string): StatementSync {
    const prepared = this.#prepared.get(sql) ?? this.#db.prepare(sql)
    this.#prepared.set(sql, prepared)
    return prepared
  }
}

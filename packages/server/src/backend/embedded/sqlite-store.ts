import type { DatabaseSync } from 'node:sqlite'
import { type Dialect, SQLITE } from '../store/dialect.ts'
import type { Statement } from '../store/sql.ts'
import type { Store, Write, WriteOptions } from '../store/store.ts'
import { compiled } from './database/sqlite-tx.ts'
import { Statements } from './database/statements.ts'
import type { Readers } from './readers.ts'
import type { Writer } from './writer.ts'

/** The store of one process: no other one changes what it has in memory. */
export class SqliteStore implements Store {
  readonly dialect: Dialect = SQLITE
  readonly #writer: Writer
  readonly #readers: Readers
  readonly #statements: Statements

  constructor(writer: Writer, reader: DatabaseSync, readers: Readers) {
    this.#writer = writer
    this.#readers = readers
    this.#statements = new Statements(reader)
  }

  async lookUp<Row>(statement: Statement<Row>): Promise<Row[]> {
    const { sql, values } = compiled(statement)
    return this.#statements.all(sql, values) as Row[]
  }

  list<Row>(statement: Statement<Row>): Promise<Row[]> {
    return this.#readers.run('select', compiled(statement)) as Promise<Row[]>
  }

  write<Input, Result>(
    write: Write<Input, Result>,
    input: Input,
    { audit }: WriteOptions = {},
  ): Promise<Result> {
    return this.#writer.write(write, input, audit)
  }

  follow(): void {}

  async spread(): Promise<void> {}
}

import type { ChangeFeed } from './changes/change-feed.ts'
import { type Dialect, POSTGRES } from '../store/dialect.ts'
import type { Statement } from '../store/sql.ts'
import type { ChangeKind, Store, Write, WriteOptions } from '../store/store.ts'
import type { Postgres } from './postgres/postgres.ts'
import { type AuditWriter, PostgresTx } from './postgres/postgres-tx.ts'

/** The store that the nodes of a cluster share. */
export class PostgresStore implements Store {
  readonly dialect: Dialect = POSTGRES
  readonly #postgres: Postgres
  readonly #feed: ChangeFeed
  readonly #writeAudit: AuditWriter

  constructor(postgres: Postgres, feed: ChangeFeed, writeAudit: AuditWriter) {
    this.#postgres = postgres
    this.#feed = feed
    this.#writeAudit = writeAudit
  }

  lookUp<Row>(statement: Statement<Row>): Promise<Row[]> {
    return this.#postgres.read((db) => new PostgresTx(db).all(statement))
  }

  list<Row>(statement: Statement<Row>): Promise<Row[]> {
    return this.lookUp(statement)
  }

  write<Input, Result>(
    write: Write<Input, Result>,
    input: Input,
    { audit, changes }: WriteOptions = {},
  ): Promise<Result> {
    return this.#postgres.write(async (transaction) => {
      if (changes !== undefined) await this.#feed.tell(transaction, changes)
      const result = await write(new PostgresTx(transaction), input)
      if (result !== false) await this.#writeAudit(transaction, audit)
      return result
    })
  }

  follow(kind: ChangeKind, refresh: () => Promise<void>): void {
    this.#feed.on(kind, refresh)
  }

  spread(kind: ChangeKind): Promise<void> {
    return this.#feed.spread(kind)
  }
}

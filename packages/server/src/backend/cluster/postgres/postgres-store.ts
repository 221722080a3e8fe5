import type { CompiledQuery, RawBuilder } from 'kysely'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { AuditEntry } from '../../audit.ts'
import { appendAudit, sealedEntry } from '../../store/audit.ts'
import { type Dialect, POSTGRES } from '../../store/dialect.ts'
import type { ChangeKind, Store, Tx, Write, WriteOptions } from '../../store/store.ts'
import type { ChangeFeed } from '../changes/change-feed.ts'
import type { Connection, Postgres } from './postgres.ts'
import { fromText, toText } from './text.ts'

/** A transaction of PostgreSQL. */
class PostgresTx implements Tx {
  readonly dialect: Dialect = POSTGRES
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async all<Row>(statement: RawBuilder<Row>): Promise<Row[]> {
    const { rows } = await this.#connection.executeQuery<Row>(this.#escaped(statement))
    return rows.map(unescaped)
  }

  async run(statement: RawBuilder<unknown>): Promise<number> {
    const { numAffectedRows } = await this.#connection.executeQuery(this.#escaped(statement))
    return Number(numAffectedRows ?? 0)
  }

  #escaped<Row>(statement: RawBuilder<Row>): CompiledQuery<Row> {
    const query = statement.compile(this.#connection)
    return { ...query, parameters: query.parameters.map(toStored) }
  }
}

function toStored(value: unknown): unknown {
  if (typeof value === 'string') return toText(value)
  return Array.isArray(value) ? value.map(toStored) : value
}

function unescaped<Row>(row: Row): Row {
  const columns = Object.entries(row as object).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? fromText(value) : value,
  ])
  return Object.fromEntries(columns) as Row
}

/** Writes the entry of a change in its transaction; nothing without one. */
export type AuditWriter = (transaction: Connection, entry: AuditEntry | undefined) => Promise<void>

export function auditWriter(box: SecretBox): AuditWriter {
  return async (transaction, entry) => {
    if (entry !== undefined) await appendAudit(new PostgresTx(transaction), sealedEntry(entry, box))
  }
}

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

  lookUp<Row>(statement: RawBuilder<Row>): Promise<Row[]> {
    return this.#postgres.read((db) => new PostgresTx(db).all(statement))
  }

  list<Row>(statement: RawBuilder<Row>): Promise<Row[]> {
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

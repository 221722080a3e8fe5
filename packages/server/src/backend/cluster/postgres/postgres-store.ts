import { CompiledQuery } from 'kysely'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import { appendAudit, sealedEntry } from '../../store/audit.ts'
import { type Dialect, POSTGRES } from '../../store/dialect.ts'
import type { Statement } from '../../store/sql.ts'
import type { ChangeKind, Read, Reads, Store, Tx, Write, WriteOptions } from '../../store/store.ts'
import type { Connection, Postgres } from './postgres.ts'
import { fromText, toText } from './text.ts'

export class PostgresTx implements Tx {
  readonly dialect: Dialect = POSTGRES
  readonly changeNumber: number
  readonly #connection: Connection

  constructor(connection: Connection, changeNumber = 0) {
    this.#connection = connection
    this.changeNumber = changeNumber
  }

  async all<Row>(statement: Statement<Row>): Promise<Row[]> {
    const { rows } = await this.#connection.executeQuery(queryOf(statement))
    return rows.map((row) => unescapeRow(row as Row))
  }

  async run(statement: Statement): Promise<number> {
    const { numAffectedRows } = await this.#connection.executeQuery(queryOf(statement))
    return Number(numAffectedRows ?? 0)
  }
}

function queryOf(statement: Statement): CompiledQuery {
  return CompiledQuery.raw(
    statement.text((number) => `$${number}`),
    statement.values.map(toStored),
  )
}

function toStored(value: unknown): unknown {
  if (typeof value === 'string') return toText(value)
  return Array.isArray(value) ? value.map(toStored) : value
}

function unescapeRow<Row>(row: Row): Row {
  const columns = Object.entries(row as object).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? fromText(value) : value,
  ])
  return Object.fromEntries(columns) as Row
}

export class PostgresReads implements Reads {
  readonly dialect: Dialect = POSTGRES
  protected readonly postgres: Postgres

  constructor(postgres: Postgres) {
    this.postgres = postgres
  }

  lookUp<Row>(statement: Statement<Row>): Promise<Row[]> {
    return this.postgres.read((db) => new PostgresTx(db).all(statement))
  }

  list<Row>(statement: Statement<Row>): Promise<Row[]> {
    return this.lookUp(statement)
  }

  read<Input, Result>(read: Read<Input, Result>, input: Input): Promise<Result> {
    return this.postgres.snapshot((transaction) => read(new PostgresTx(transaction), input))
  }
}

/** Notifies nodes of changes: `ReplicatedChanges`. */
interface Changes {
  publish(transaction: Connection, kind: ChangeKind): Promise<number>
  on(kind: ChangeKind, refresh: () => Promise<unknown>): unknown
  spread(kind: ChangeKind): Promise<void>
}

export class PostgresStore extends PostgresReads implements Store {
  readonly #changes: Changes
  readonly #box: SecretBox

  constructor(postgres: Postgres, changes: Changes, box: SecretBox) {
    super(postgres)
    this.#changes = changes
    this.#box = box
  }

  write<Input, Result>(
    write: Write<Input, Result>,
    input: Input,
    { audit, changes: kind }: WriteOptions = {},
  ): Promise<Result> {
    return this.postgres.write(async (transaction) => {
      const number = kind === undefined ? 0 : await this.#changes.publish(transaction, kind)
      const tx = new PostgresTx(transaction, number)
      const result = await write(tx, input)
      if (result !== false && audit !== undefined)
        await appendAudit(tx, sealedEntry(audit, this.#box))
      return result
    })
  }

  follow(kind: ChangeKind, refresh: () => Promise<void>): void {
    this.#changes.on(kind, refresh)
  }

  spread(kind: ChangeKind): Promise<void> {
    return this.#changes.spread(kind)
  }
}

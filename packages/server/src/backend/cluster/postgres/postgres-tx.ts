import { CompiledQuery } from 'kysely'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { AuditEntry } from '../../audit.ts'
import { appendAudit, sealedEntry } from '../../store/audit.ts'
import { type Dialect, POSTGRES } from '../../store/dialect.ts'
import type { Statement } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import type { Connection } from './postgres.ts'
import { fromText, toText } from './text.ts'

/** A transaction of PostgreSQL. */
export class PostgresTx implements Tx {
  readonly dialect: Dialect = POSTGRES
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async all<Row>(statement: Statement<Row>): Promise<Row[]> {
    const { rows } = await this.#connection.executeQuery(queryOf(statement))
    return rows.map((row) => unescaped(row as Row))
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

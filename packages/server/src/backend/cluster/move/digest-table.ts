import { sql } from 'kysely'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fromText } from '../postgres/text.ts'
import { namesOf } from './insert-rows.ts'
import type { MovedColumn, TargetTable, Value } from './moved-tables.ts'
import { type Digest, RowDigest } from './row-digest.ts'

/** Rows that are read at once: with the largest events, 200 MB. */
const ROWS = 200

type TargetRow = Readonly<Record<string, unknown>>

/** Reads a table from its beginning to its end, with its secrets opened. */
export function digestTable(
  postgres: Postgres,
  { into, columns }: TargetTable,
  box: SecretBox,
): Promise<Digest> {
  return postgres.write(async (transaction) => {
    const digest = new RowDigest()
    await sql`DECLARE moved NO SCROLL CURSOR FOR
      SELECT ${namesOf(columns)} FROM ${sql.id(into)}`.execute(transaction)
    for (let count = ROWS; count === ROWS;) {
      const { rows } = await sql<TargetRow>`FETCH ${sql.lit(ROWS)} FROM moved`.execute(transaction)
      for (const row of rows) digest.add(columns.map((column) => valueIn(row, column, box)))
      count = rows.length
    }
    return digest.value
  })
}

function valueIn(row: TargetRow, column: MovedColumn, box: SecretBox): Value {
  const value = row[column.name] as Value
  if (column.sealedUnder === undefined) return comparable(column, value)
  return value === null ? null : box.open(String(value), fromText(String(row[column.sealedUnder])))
}

/** PostgreSQL keeps the names of an object in an order of its own. */
export function comparable({ type }: Pick<MovedColumn, 'type'>, value: Value | object): Value {
  if (type !== 'jsonb') return value as Value
  const object = (typeof value === 'string' ? JSON.parse(value) : value) as object
  return JSON.stringify(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

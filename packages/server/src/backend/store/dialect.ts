import { type RawBuilder, sql } from 'kysely'

type ColumnType = 'text' | 'number' | 'json'

type Cell = string | number | null

/** Columns of the same length, each with its type and its values. JSON is given as text. */
type Columns = Readonly<Record<string, readonly [type: ColumnType, values: readonly Cell[]]>>

/** Every difference between SQLite and PostgreSQL that statements in this folder have. */
export interface Dialect {
  /** After a SELECT of rows that the statement then changes: leaves out those that another transaction is changing. */
  readonly skipLocked: RawBuilder<unknown>
  /** A table with the name `given`, made from columns in one parameter each. */
  given(columns: Columns): RawBuilder<unknown>
}

export const SQLITE: Dialect = {
  skipLocked: sql``,
  given(columns) {
    const names = Object.keys(columns)
    const rows = (Object.values(columns)[0]?.[1] ?? []).map((_, row) =>
      Object.values(columns).map(([, values]) => values[row]),
    )
    const cells = names.map((name, index) => sql`value ->> ${sql.lit(index)} AS ${sql.id(name)}`)
    return sql`(SELECT ${sql.join(cells)} FROM json_each(${JSON.stringify(rows)})) AS given`
  },
}

const POSTGRES_TYPES = { text: 'text', number: 'bigint', json: 'jsonb' } as const

export const POSTGRES: Dialect = {
  skipLocked: sql`FOR UPDATE SKIP LOCKED`,
  given(columns) {
    const names = Object.keys(columns).map((name) => sql.id(name))
    const arrays = Object.values(columns).map(
      ([type, values]) => sql`${values}::${sql.raw(POSTGRES_TYPES[type])}[]`,
    )
    return sql`unnest(${sql.join(arrays)}) AS given (${sql.join(names)})`
  },
}

import { joinSql, rawSql, sql, type Statement } from './sql.ts'

type ColumnType = 'text' | 'number' | 'json'

/** Columns of the same length, each with its type and its values. JSON is given as text. */
type Columns = Readonly<
  Record<string, readonly [type: ColumnType, values: readonly (string | number | null)[]]>
>

/** Every difference between SQLite and PostgreSQL that statements in this folder have. */
export interface Dialect {
  /** After a SELECT of rows that the statement then changes: skips rows that another transaction is changing. */
  readonly skipLocked: Statement
  /** A table with the name `given`, made from columns in few parameters. */
  given(columns: Columns): Statement
}

export const SQLITE: Dialect = {
  skipLocked: rawSql(''),
  given(columns) {
    const names = Object.keys(columns)
    const rows = (Object.values(columns)[0]?.[1] ?? []).map((_, row) =>
      Object.values(columns).map(([, values]) => values[row]),
    )
    const cells = names.map((name, index) => `value ->> ${index} AS ${name}`)
    return sql`(SELECT ${rawSql(cells.join())} FROM json_each(${JSON.stringify(rows)})) AS given`
  },
}

const POSTGRES_TYPES = { text: 'text', number: 'bigint', json: 'jsonb' } as const

export const POSTGRES: Dialect = {
  skipLocked: rawSql('FOR UPDATE SKIP LOCKED'),
  given(columns) {
    const names = rawSql(Object.keys(columns).join())
    const arrays = Object.values(columns).map(
      ([type, values]) => sql`${values}::${rawSql(POSTGRES_TYPES[type])}[]`,
    )
    return sql`unnest(${joinSql(arrays, ', ')}) AS given (${names})`
  },
}

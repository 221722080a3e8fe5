import { type EventOrder, POSTGRES_EVENTS, SQLITE_EVENTS } from './event-order.ts'
import { joinSql, rawSql, sql, type Statement } from './sql.ts'

/** A SELECT of these numbers, in one parameter. */
export function numbersIn(
  { dialect }: { readonly dialect: Dialect },
  numbers: readonly number[],
): Statement {
  const rows = numbers.map((id) => ({ id }))
  return sql`SELECT id FROM ${dialect.rows(rows, { number: ['id'] })}`
}

interface Columns<Row> {
  readonly text?: readonly (keyof Row & string)[]
  /** Booleans become 0 and 1. */
  readonly number?: readonly (keyof Row & string)[]
  /** The values as JSON. */
  readonly json?: readonly (keyof Row & string)[]
}

/** Every difference between SQLite and PostgreSQL in the statements of this folder. */
export interface Dialect {
  /** After a SELECT of rows to change: skips rows locked by another transaction. */
  readonly skipLocked: Statement
  /** After a SELECT: no other transaction changes the rows until this one ends. */
  readonly forUpdate: Statement
  /** Whether transactions write concurrently. If not, rows that are only written need no lock. */
  readonly hasRowLocks: boolean
  /** After a SELECT: no other transaction removes the rows until this one ends. */
  readonly forKeyShare: Statement
  /** Whether `deliveries` has indexes by event and by destination, besides its ids, which begin with the event's time. */
  readonly hasDeliveryIndexes: boolean
  readonly events: EventOrder
  /** A table named `input` with these rows in few parameters. Its columns are the properties in snake case. */
  rows<Row extends object>(rows: readonly Row[], columns: Columns<Row>): Statement
  among(values: readonly string[]): Statement
  /** A table of the elements of the JSON array in a column, as `value`. */
  elements(column: Statement): Statement
  countWaiting(lane: number, parts: { readonly areHeld: boolean }): Statement
}

interface Column {
  readonly name: string
  readonly type: 'text' | 'bigint'
  readonly values: readonly (string | number | null)[]
}

function columnsOf<Row extends object>(
  rows: readonly Row[],
  { text = [], number = [], json = [] }: Columns<Row>,
): readonly Column[] {
  const column = (
    property: keyof Row & string,
    type: Column['type'],
    valueOf: (value: unknown) => unknown = (value) => value ?? null,
  ): Column => {
    const name = property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const values = rows.map((row) => valueOf(row[property])) as Column['values']
    return { name, type, values }
  }
  return [
    ...text.map((property) => column(property, 'text')),
    ...number.map((property) => column(property, 'bigint', numberOrNull)),
    ...json.map((property) => column(property, 'text', (value) => JSON.stringify(value))),
  ]
}

function numberOrNull(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : (value ?? null)
}

export const SQLITE: Dialect = {
  skipLocked: rawSql(''),
  forUpdate: rawSql(''),
  hasRowLocks: false,
  forKeyShare: rawSql(''),
  hasDeliveryIndexes: false,
  events: SQLITE_EVENTS,
  rows(rows, types) {
    const columns = columnsOf(rows, types).map(({ name, values }) => ({
      name,
      values: values.map((value) => (typeof value === 'string' ? value.toWellFormed() : value)),
    }))
    const [first, ...others] = columns
    // A single column is a flat array: parsing each row again would take twice as long.
    const json =
      others.length === 0
        ? first!.values
        : rows.map((_, row) => columns.map(({ values }) => values[row]))
    const cells = columns.map(({ name }, column) =>
      others.length === 0 ? `value AS "${name}"` : `value ->> ${column} AS "${name}"`,
    )
    return sql`(SELECT ${rawSql(cells.join())} FROM json_each(${JSON.stringify(json)})) AS input`
  },
  among: (values) => sql`IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
  // The column may be corrupt.
  elements: (column) => sql`json_each(iif(json_valid(${column}), ${column}, '[]'))`,
  countWaiting: (lane, { areHeld }) =>
    sql`coalesce((SELECT count FROM waiting_lanes WHERE lane = ${lane} AND is_held = ${areHeld}), 0)`,
}

/**
 * The maximum number of parts that are counted. A stored counter would be a row that every record
 * of the lane has to lock.
 */
const MAX_COUNTED_PARTS = 250_000

export const POSTGRES: Dialect = {
  skipLocked: rawSql('FOR UPDATE SKIP LOCKED'),
  forUpdate: rawSql('FOR UPDATE'),
  hasRowLocks: true,
  forKeyShare: rawSql('FOR KEY SHARE'),
  hasDeliveryIndexes: true,
  events: POSTGRES_EVENTS,
  rows(rows, types) {
    const columns = columnsOf(rows, types)
    const arrays = columns.map(({ type, values }) => sql`${values}::${rawSql(type)}[]`)
    const names = columns.map(({ name }) => `"${name}"`).join()
    return sql`unnest(${joinSql(arrays, ', ')}) AS input (${rawSql(names)})`
  },
  among: (values) => sql`= ANY(${values}::text[])`,
  elements: (column) => sql`json_array_elements(${column}::json)`,
  countWaiting: (lane, { areHeld }) => sql`(SELECT count(*) FROM (
    SELECT FROM waiting_parts WHERE lane = ${lane} AND due_at ${rawSql(areHeld ? 'IS NULL' : 'IS NOT NULL')}
    LIMIT ${MAX_COUNTED_PARTS}) AS counted)`,
}

import { type EventOrder, POSTGRES_EVENTS, SQLITE_EVENTS } from './event-order.ts'
import { joinSql, rawSql, sql, type Statement } from './sql.ts'

/** A SELECT of these numbers, in one parameter. */
export function numbersIn(
  { dialect }: { readonly dialect: Dialect },
  numbers: readonly number[],
): Statement {
  return sql`SELECT id FROM ${dialect.given({ id: ['number', numbers] })}`
}

type ColumnType = 'text' | 'number'

/** Columns of the same length, each with its type and its values. */
type Columns = Readonly<
  Record<string, readonly [type: ColumnType, values: readonly (string | number | null)[]]>
>

/** Every difference between SQLite and PostgreSQL that statements in this folder have. */
export interface Dialect {
  /** After a SELECT of rows that the statement then changes: skips rows that another transaction is changing. */
  readonly skipLocked: Statement
  /** After a SELECT: other transactions do not change the rows until this one ends. */
  readonly forUpdate: Statement
  /** Whether several transactions write at the same time. If not, rows that are only written need no lock. */
  readonly hasRowLocks: boolean
  /** After a SELECT: other transactions do not remove the rows until this one ends. */
  readonly forKeyShare: Statement
  /**
   * Whether indexes lead to the deliveries of an event and of a destination. Otherwise the ids of deliveries do, which begin with
   * the time of the event.
   */
  readonly hasDeliveryIndexes: boolean
  readonly events: EventOrder
  /** A table with the name `given`, made from columns in few parameters. */
  given(columns: Columns): Statement
  /** The condition, after a column, that it has one of these values. */
  among(values: readonly string[]): Statement
  /** A table of the elements of the JSON array in a column, as `value`. */
  elements(column: Statement): Statement
  /** The number of the parts that wait in a lane, due or held. */
  countWaiting(lane: number, parts: { readonly areHeld: boolean }): Statement
}

export const SQLITE: Dialect = {
  skipLocked: rawSql(''),
  forUpdate: rawSql(''),
  hasRowLocks: false,
  forKeyShare: rawSql(''),
  hasDeliveryIndexes: false,
  events: SQLITE_EVENTS,
  given(columns) {
    const all = Object.values(columns).map(([type, values]) =>
      type === 'number' ? values : values.map((value) => (value as string | null)?.toWellFormed()),
    )
    // A single column is a flat array: parsing each row again would take twice as long.
    const rows = all.length === 1 ? all[0] : all[0]?.map((_, row) => all.map((each) => each[row]))
    const cells = Object.keys(columns).map((name, column) =>
      all.length === 1 ? `value AS ${name}` : `value ->> ${column} AS ${name}`,
    )
    return sql`(SELECT ${rawSql(cells.join())} FROM json_each(${JSON.stringify(rows ?? [])})) AS given`
  },
  among: (values) => sql`IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
  // The column may be damaged.
  elements: (column) => sql`json_each(iif(json_valid(${column}), ${column}, '[]'))`,
  countWaiting: (lane, { areHeld }) =>
    sql`coalesce((SELECT count FROM waiting_lanes WHERE lane = ${lane} AND is_held = ${areHeld}), 0)`,
}

const POSTGRES_TYPES = { text: 'text', number: 'bigint' } as const

/** Parts that are counted. There is no counter: every record of the lane would wait for its row. */
const MAX_COUNTED_PARTS = 250_000

export const POSTGRES: Dialect = {
  skipLocked: rawSql('FOR UPDATE SKIP LOCKED'),
  forUpdate: rawSql('FOR UPDATE'),
  hasRowLocks: true,
  forKeyShare: rawSql('FOR KEY SHARE'),
  hasDeliveryIndexes: true,
  events: POSTGRES_EVENTS,
  given(columns) {
    const names = rawSql(Object.keys(columns).join())
    const arrays = Object.values(columns).map(
      ([type, values]) => sql`${values}::${rawSql(POSTGRES_TYPES[type])}[]`,
    )
    return sql`unnest(${joinSql(arrays, ', ')}) AS given (${names})`
  },
  among: (values) => sql`= ANY(${values}::text[])`,
  elements: (column) => sql`json_array_elements(${column}::json)`,
  countWaiting: (lane, { areHeld }) => sql`(SELECT count(*) FROM (
    SELECT FROM waiting_parts WHERE lane = ${lane} AND due_at ${rawSql(areHeld ? 'IS NULL' : 'IS NOT NULL')}
    LIMIT ${MAX_COUNTED_PARTS}) AS counted)`,
}

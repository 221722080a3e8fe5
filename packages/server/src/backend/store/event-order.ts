import type { EventFilter } from '../events.ts'
import { conditionsOf, firstIdAt } from './rows.ts'
import { rawSql, sql, type Statement } from './sql.ts'

/** How far the order of events in the table, and the times in their ids, may differ from the order of receipt. */
export const SLACK_MS = 60_000

/** A segment is 2^10 events in a row, by seq, on SQLite. Its schema has this number, too. */
const SEGMENT_BITS = 10

export const SEGMENT_EVENTS = 2 ** SEGMENT_BITS

/**
 * The segment of a row of `events` in the SQL of SQLite, spelled as in the indexes. They begin with it, so that new rows change
 * only the few pages of the last segment, however large the table is. A look-up goes from segment to segment.
 */
export const SEGMENT = `seq >> ${SEGMENT_BITS}`

/** Segments that one step looks at: some milliseconds of work. */
const STEP_SEGMENTS = 512

export function segmentOf(seq: number): number {
  return Math.floor(seq / SEGMENT_EVENTS)
}

export function firstSeqOf(segment: number): number {
  return segment * SEGMENT_EVENTS
}

/** One step of a list of events, the newest first. */
interface EventStep {
  /** Its conditions in `EventOrder.indexed` lead to the rows that are looked at. */
  readonly filter: EventFilter
  /** Conditions that those rows may meet or not, each beginning with AND. */
  readonly where: Statement
  /** Where the step begins; the newest event for `undefined`. */
  readonly cursor: string | undefined
  /** Rows that are looked at, at most. */
  readonly limit: number
}

interface EventsOfStep {
  /** The ids of the rows that meet `where`, each with the cursor of a list that ends with it. */
  readonly events: readonly { readonly id: string; readonly cursor: string }[]
  /** Where the next step begins; `null` if there are no more rows. */
  readonly next: string | null
}

/** How lists of events go through the table. Its indexes, and so its order, differ between the engines. */
export interface EventOrder {
  readonly indexed: ReadonlySet<keyof EventFilter>
  /** The columns that an event is made of. */
  readonly columns: Statement
  /** The JSON of a call. */
  readonly text: Statement
  /** The operator LIKE that ignores the case of ASCII letters. */
  readonly likeFolded: Statement
  /** What `EventsOfStep.next` looks like. */
  readonly cursor: RegExp
  step(tx: Selecting, step: EventStep): Promise<EventsOfStep>
}

const COLUMNS =
  'id, source_id, message_id, type, received_at, marks, user_id, previous_id, origin, rest, checksum'

/** What steps read with. */
interface Selecting {
  all<Row>(statement: Statement<Row>): Promise<Row[]>
}

interface SqliteRow {
  readonly seq: number
  readonly id: string | null
}

/** By seq, which is the order of receipt but for `SLACK_MS`. */
export const SQLITE_EVENTS: EventOrder = {
  indexed: new Set(['messageId', 'userId']),
  // The bytes of the body: the checksum is made of them.
  columns: rawSql(`${COLUMNS}, CAST(body AS BLOB) AS body`),
  text: rawSql('(body || rest)'),
  likeFolded: rawSql('LIKE'),
  cursor: /^\d{1,15}$/,
  async step(tx, { filter, where, cursor, limit }) {
    const { messageId, userId } = filter
    const { first, last } = await seqsIn(tx, filter)
    if (first === null || last === null) return { events: [], next: null }
    const end = Math.min(cursor === undefined ? Infinity : Number(cursor), last + 1)
    // Not `LIMIT ?`: SQLite plans the statement again for each new value of it, which takes longer than the look-up.
    const newest = (and: Statement, most: number): Promise<SqliteRow[]> =>
      tx.all(sql<SqliteRow>`
        SELECT seq, CASE WHEN true ${where} ${receivedIn(filter)} THEN id END AS id
        FROM events WHERE seq >= ${first} AND seq < ${end} ${and} ORDER BY seq DESC LIMIT ${most} + 0`)
    if (messageId !== undefined || userId !== undefined) {
      const ids = conditionsOf({ message_id: messageId, user_id: userId })
      const inSegment = (segment: number, most: number): Promise<SqliteRow[]> =>
        newest(sql`AND ${rawSql(SEGMENT)} = ${segment} ${ids}`, most)
      return throughSegments(inSegment, { first, end, limit })
    }
    const rows = await newest(sql``, limit)
    return stepOf(rows, rows.length < limit ? null : rows.at(-1)!.seq)
  },
}

/** The seqs of the first and the last event that can have been received in the time of the filter. */
async function seqsIn(
  tx: Selecting,
  { from, to }: EventFilter,
): Promise<{ readonly first: number | null; readonly last: number | null }> {
  const first =
    from === undefined
      ? sql`SELECT min(seq) FROM events`
      : sql`SELECT seq FROM events WHERE id >= ${firstIdAt('evt', from - SLACK_MS)} ORDER BY id LIMIT 1`
  const last =
    to === undefined
      ? sql`SELECT max(seq) FROM events`
      : sql`SELECT seq FROM events WHERE id < ${firstIdAt('evt', to + SLACK_MS)} ORDER BY id DESC LIMIT 1`
  const rows = await tx.all(sql<{ readonly first: number | null; readonly last: number | null }>`
    SELECT (${first}) AS first, (${last}) AS last`)
  return rows[0]!
}

async function throughSegments(
  inSegment: (segment: number, limit: number) => Promise<readonly SqliteRow[]>,
  { first, end, limit }: { readonly first: number; readonly end: number; readonly limit: number },
): Promise<EventsOfStep> {
  const rows: SqliteRow[] = []
  const newest = segmentOf(end - 1)
  const oldest = Math.max(segmentOf(first), newest - STEP_SEGMENTS + 1)
  for (let segment = newest; segment >= oldest && rows.length < limit; segment--)
    rows.push(...(await inSegment(segment, limit - rows.length)))
  if (rows.length === limit) return stepOf(rows, rows.at(-1)!.seq)
  return stepOf(rows, oldest === segmentOf(first) ? null : firstSeqOf(oldest))
}

function receivedIn({ from, to }: Pick<EventFilter, 'from' | 'to'>): Statement {
  const since = from === undefined ? sql`` : sql`AND received_at >= ${from}`
  return to === undefined ? since : sql`${since} AND received_at < ${to}`
}

function stepOf(rows: readonly SqliteRow[], next: number | null): EventsOfStep {
  return {
    events: rows.flatMap(({ seq, id }) => (id === null ? [] : { id, cursor: String(seq) })),
    next: next === null ? null : String(next),
  }
}

interface PostgresRow extends SqliteRow {
  readonly received_at: number
}

/** By the time of receipt, then by seq. */
export const POSTGRES_EVENTS: EventOrder = {
  indexed: new Set(['messageId', 'userId', 'anonymousId', 'from', 'to']),
  columns: rawSql(`${COLUMNS}, body, anonymous_id`),
  text: rawSql(`((convert_from(body, 'UTF8') || rest) COLLATE "C")`),
  likeFolded: rawSql('ILIKE'),
  cursor: /^\d{1,15}\.\d{1,15}$/,
  async step(tx, { filter, where, cursor, limit }) {
    const { messageId, userId, anonymousId, from, to } = filter
    const [receivedAt, seq] = cursor?.split('.').map(Number) ?? []
    const rows = await tx.all(sql<PostgresRow>`
      SELECT received_at, seq, CASE WHEN true ${where} THEN id END AS id FROM events
      WHERE true ${receivedIn(filter)}
        ${from === undefined ? sql`` : sql`AND id >= ${firstIdAt('evt', from - SLACK_MS)}`}
        ${to === undefined ? sql`` : sql`AND id < ${firstIdAt('evt', to + SLACK_MS)}`}
        ${isId('message_id', messageId)} ${isId('user_id', userId)} ${isId('anonymous_id', anonymousId)}
        ${receivedAt === undefined ? sql`` : sql`AND (received_at, seq) < (${receivedAt}::bigint, ${seq ?? 0}::bigint)`}
      ORDER BY received_at DESC, seq DESC LIMIT ${limit}`)
    const cursorOf = (row: PostgresRow): string => `${row.received_at}.${row.seq}`
    return {
      events: rows.flatMap((row) => (row.id === null ? [] : { id: row.id, cursor: cursorOf(row) })),
      next: rows.length < limit ? null : cursorOf(rows.at(-1)!),
    }
  },
}

/** An index has only how such ids begin, because there is no limit to their length. */
function isId(column: string, id: string | undefined): Statement {
  if (id === undefined) return sql``
  const named = rawSql(column)
  return sql`AND left(${named}, 500) = left(${id}, 500) AND ${named} = ${id}`
}

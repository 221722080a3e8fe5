import type { EventFilter } from '../events.ts'
import { conditionsOf, idBound } from './rows.ts'
import { rawSql, sql, type Statement } from './sql.ts'

/** How far the order of events in the table and the times in their ids may differ from the order of receipt. */
export const SLACK_MS = 60_000

/** On SQLite, a segment is 2^10 consecutive events, by seq. Its schema uses the same number. */
const SEGMENT_BITS = 10

export const SEGMENT_EVENTS = 2 ** SEGMENT_BITS

/**
 * The segment of a row of `events`. SQLite's indexes begin with it, so new rows change only the
 * pages of the last segment.
 */
export const SEGMENT = `seq >> ${SEGMENT_BITS}`

/** The maximum number of segments that one step examines, in a few milliseconds. */
const STEP_SEGMENTS = 512

export function segmentOf(seq: number): number {
  return Math.floor(seq / SEGMENT_EVENTS)
}

export function firstSeqOf(segment: number): number {
  return segment * SEGMENT_EVENTS
}

interface EventStep {
  /** Its conditions in `EventOrder.indexed` select the rows to examine. */
  readonly filter: EventFilter
  readonly where: Statement
  /** The start of the step; `undefined`: the newest event. */
  readonly cursor: string | undefined
  readonly limit: number
}

interface EventsOfStep {
  /** The ids of the rows that meet `where`, each with the cursor after it. */
  readonly events: readonly { readonly id: string; readonly cursor: string }[]
  /** The start of the next step; `null` at the end. */
  readonly next: string | null
}

/** How lists of events read the table. Its indexes and their order differ between the engines. */
export interface EventOrder {
  readonly indexed: ReadonlySet<keyof EventFilter>
  readonly columns: Statement
  readonly text: Statement
  /** A LIKE operator that ignores the case of ASCII letters. */
  readonly likeFolded: Statement
  readonly cursor: RegExp
  step(tx: Selecting, step: EventStep): Promise<EventsOfStep>
}

const COLUMNS =
  'id, source_id, message_id, type, received_at, warnings, user_id, previous_id, origin, rest, checksum'

interface Selecting {
  all<Row>(statement: Statement<Row>): Promise<Row[]>
}

interface SqliteEventRow {
  readonly seq: number
  readonly id: string | null
}

/** By seq: the order of receipt within `SLACK_MS`. */
export const SQLITE_EVENTS: EventOrder = {
  indexed: new Set(['messageId', 'userId']),
  // The checksum covers the body's bytes.
  columns: rawSql(`${COLUMNS}, CAST(body AS BLOB) AS body`),
  text: rawSql('(body || rest)'),
  likeFolded: rawSql('LIKE'),
  cursor: /^\d{1,15}$/,
  async step(tx, { filter, where, cursor, limit }) {
    const { messageId, userId } = filter
    const { first, last } = await seqsIn(tx, filter)
    if (first === null || last === null) return { events: [], next: null }
    const end = Math.min(cursor === undefined ? Infinity : Number(cursor), last + 1)
    // Not `LIMIT ?`: SQLite would plan the statement again for each new value, which takes longer than the lookup.
    const newest = (and: Statement, count: number): Promise<SqliteEventRow[]> =>
      tx.all(sql<SqliteEventRow>`
        SELECT seq, CASE WHEN true ${where} ${receivedIn(filter)} THEN id END AS id
        FROM events WHERE seq >= ${first} AND seq < ${end} ${and} ORDER BY seq DESC LIMIT ${count} + 0`)
    if (messageId !== undefined || userId !== undefined) {
      const ids = conditionsOf({ message_id: messageId, user_id: userId })
      const inSegment = (segment: number, count: number): Promise<SqliteEventRow[]> =>
        newest(sql`AND ${rawSql(SEGMENT)} = ${segment} ${ids}`, count)
      return throughSegments(inSegment, { first, end, limit })
    }
    const rows = await newest(sql``, limit)
    return stepOf(rows, rows.length < limit ? null : rows.at(-1)!.seq)
  },
}

/** The seqs of the first and the last event that may be in the filter's time range. */
async function seqsIn(tx: Selecting, { from, to }: EventFilter) {
  const first =
    from === undefined
      ? sql`SELECT min(seq) FROM events`
      : sql`SELECT seq FROM events WHERE id >= ${idBound('evt', from - SLACK_MS)} ORDER BY id LIMIT 1`
  const last =
    to === undefined
      ? sql`SELECT max(seq) FROM events`
      : sql`SELECT seq FROM events WHERE id < ${idBound('evt', to + SLACK_MS)} ORDER BY id DESC LIMIT 1`
  const rows = await tx.all(sql<{ readonly first: number | null; readonly last: number | null }>`
    SELECT (${first}) AS first, (${last}) AS last`)
  return rows[0]!
}

async function throughSegments(
  inSegment: (segment: number, limit: number) => Promise<readonly SqliteEventRow[]>,
  { first, end, limit }: { readonly first: number; readonly end: number; readonly limit: number },
): Promise<EventsOfStep> {
  const rows: SqliteEventRow[] = []
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

function stepOf(rows: readonly SqliteEventRow[], next: number | null): EventsOfStep {
  return {
    events: rows.flatMap(({ seq, id }) => (id === null ? [] : { id, cursor: String(seq) })),
    next: next === null ? null : String(next),
  }
}

interface PostgresEventRow extends SqliteEventRow {
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
    const rows = await tx.all(sql<PostgresEventRow>`
      SELECT received_at, seq, CASE WHEN true ${where} THEN id END AS id FROM events
      WHERE true ${receivedIn(filter)}
        ${from === undefined ? sql`` : sql`AND id >= ${idBound('evt', from - SLACK_MS)}`}
        ${to === undefined ? sql`` : sql`AND id < ${idBound('evt', to + SLACK_MS)}`}
        ${isId('message_id', messageId)} ${isId('user_id', userId)} ${isId('anonymous_id', anonymousId)}
        ${receivedAt === undefined ? sql`` : sql`AND (received_at, seq) < (${receivedAt}::bigint, ${seq ?? 0}::bigint)`}
      ORDER BY received_at DESC, seq DESC LIMIT ${limit}`)
    const cursorOf = (row: PostgresEventRow): string => `${row.received_at}.${row.seq}`
    return {
      events: rows.flatMap((row) => (row.id === null ? [] : { id: row.id, cursor: cursorOf(row) })),
      next: rows.length < limit ? null : cursorOf(rows.at(-1)!),
    }
  },
}

/** Ids have no maximum length, so an index has prefixes. */
function isId(column: string, id: string | undefined): Statement {
  if (id === undefined) return sql``
  const named = rawSql(column)
  return sql`AND left(${named}, 500) = left(${id}, 500) AND ${named} = ${id}`
}

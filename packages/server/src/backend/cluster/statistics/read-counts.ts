import { type RawBuilder, sql } from 'kysely'
import type { Counts, CountsRange, CountsRow, Span } from '../../statistics.ts'
import type { Connection } from '../postgres/postgres.ts'
import { fromText, toText } from '../postgres/text.ts'

/** Rows of one batch: a few milliseconds of work for the reader of the rows. */
const BATCH = 2_000
/** Rows of one batch that are summed up here: many become few for the reader. */
const SUMMED_BATCH = 10_000

/** The key of the last row that was read, as it is stored. */
export interface Place {
  readonly start: number
  readonly sourceId: string
  readonly destinationId: string
}

export interface Batch {
  readonly rows: readonly CountsRow[]
  /** Where the next batch begins; `undefined` after the last one. */
  readonly after: Place | undefined
}

interface Row {
  readonly start: number
  readonly source_id: string
  readonly destination_id: string
  readonly counts: Counts
}

/** Reads one batch of counts, in the order of time. */
export async function readCounts(
  db: Connection,
  range: CountsRange,
  after: Place | undefined,
): Promise<Batch> {
  const most = range.stepMs === undefined ? BATCH : SUMMED_BATCH
  const { rows } = await sql<Row>`
    SELECT start, source_id, destination_id, counts FROM statistics
    WHERE ${sql.join(conditionsOf(range, after), sql` AND `)}
    ORDER BY start, source_id, destination_id LIMIT ${most}`.execute(db)
  const last = rows.length < most ? undefined : rows.at(-1)
  return {
    rows: rows.map((row) => countsRowOf(range.span, row)),
    after: last && {
      start: last.start,
      sourceId: last.source_id,
      destinationId: last.destination_id,
    },
  }
}

function conditionsOf(
  { span, from, to, sourceId, destinationId }: CountsRange,
  after: Place | undefined,
): RawBuilder<unknown>[] {
  return [
    // The first time by itself: each index can begin there.
    sql`span = ${span} AND start >= ${after?.start ?? from} AND start < ${to}`,
    ...(after === undefined ? [] : [isAfter(after)]),
    ...(sourceId === undefined ? [] : [sql`source_id = ${toText(sourceId)}`]),
    ...(destinationId === undefined ? [] : [isOfDestination(toText(destinationId))]),
  ]
}

function isAfter({ start, sourceId, destinationId }: Place): RawBuilder<unknown> {
  return sql`(start, source_id, destination_id) > (${start}, ${sourceId}, ${destinationId})`
}

/** Rows of no destination are in no index of destinations. */
function isOfDestination(destinationId: string): RawBuilder<unknown> {
  const isOne = sql`destination_id = ${destinationId}`
  return destinationId === '' ? isOne : sql`${isOne} AND destination_id <> ''`
}

function countsRowOf(span: Span, row: Row): CountsRow {
  return {
    span,
    start: row.start,
    sourceId: fromText(row.source_id),
    destinationId: fromText(row.destination_id),
    counts: row.counts,
  }
}

import type { DatabaseSync } from 'node:sqlite'
import {
  type Counts,
  type CountsRange,
  type CountsRow,
  type Span,
  SPANS,
  summedUp,
} from '../../statistics.ts'
import { conditionsOf } from '../database/conditions.ts'
import { type Row, timeOf } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'

/** Rows of one batch: a few milliseconds of work for the reader of the rows. */
const BATCH = 2_000
/** Rows of one batch that are summed up here: a tenth of a second of work for the thread, and few rows for the reader. */
const SUMMED_BATCH = 10_000
/** Spans that are looked up one by one. */
const MOST_STARTS = 2_000

/** The key of the last row that was read. */
type Place = readonly [start: number, sourceId: string, destinationId: string]

interface Wanted {
  readonly range: CountsRange
  /** Where the batch begins; at the beginning without it. */
  readonly after: Place | undefined
}

interface Batch {
  readonly rows: readonly CountsRow[]
  /** Where the next batch begins; `undefined` after the last one. */
  readonly after: Place | undefined
}

/** Reads one batch of counts, in the order of time. */
export function readCounts(db: DatabaseSync): (wanted: Wanted) => Batch {
  const statements = new Statements(db)
  return ({ range, after }) => {
    const { span, from, to, sourceId, destinationId, stepMs } = range
    const most = stepMs === undefined ? BATCH : SUMMED_BATCH
    const { where, values } = conditionsOf([
      ['source_id = ?', sourceId],
      ['destination_id = ?', destinationId],
      ['start IN (SELECT value FROM json_each(?))', startsOf(range)],
    ])
    const found = statements
      .all(
        `SELECT start, source_id, destination_id, counts FROM statistics
         WHERE span = ? AND start < ? AND (start, source_id, destination_id) > (?, ?, ?) ${where}
         ORDER BY start, source_id, destination_id LIMIT ${most}`,
        [span, to, ...(after ?? [from - 1, '~', '~']), ...values],
      )
      .map((row) => countsRowOf(span, row))
    const last = found.length < most ? undefined : found.at(-1)
    return {
      rows: stepMs === undefined ? found : summedUp(found, { from, stepMs }),
      after: last && [last.start, last.sourceId, last.destinationId],
    }
  }
}

/**
 * When each span of the range begins, as JSON: with it, SQLite goes to the rows of the source, past those of all others.
 * `undefined` where the rows of all sources are read, or where the range is long.
 */
function startsOf({ span, from, to, sourceId }: CountsRange): string | undefined {
  const first = Math.ceil(from / SPANS[span])
  const count = Math.max(0, Math.ceil(to / SPANS[span]) - first)
  if (sourceId === undefined || count > MOST_STARTS) return undefined
  return JSON.stringify(Array.from({ length: count }, (_, index) => (first + index) * SPANS[span]))
}

function countsRowOf(span: Span, row: Row): CountsRow {
  return {
    span,
    start: timeOf(row['start']),
    sourceId: String(row['source_id']),
    destinationId: String(row['destination_id']),
    counts: JSON.parse(String(row['counts'])) as Counts,
  }
}

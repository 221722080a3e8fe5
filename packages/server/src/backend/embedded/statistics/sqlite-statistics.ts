import {
  type Counts,
  type CountsRange,
  type CountsRow,
  type Span,
  SPANS,
  type Statistics,
} from '../../statistics.ts'
import { conditionsOf } from '../database/conditions.ts'
import { type Row, timeOf } from '../database/rows.ts'
import type { Readers } from '../readers.ts'
import type { Writer } from '../writer.ts'

/** Rows of one batch: a few milliseconds of work. */
const BATCH = 2_000
/** Spans that are looked up one by one. */
const MOST_STARTS = 2_000

/** Counts on the table `statistics`. */
export class SqliteStatistics implements Statistics {
  readonly #writer: Writer
  readonly #readers: Readers

  constructor(writer: Writer, readers: Readers) {
    this.#writer = writer
    this.#readers = readers
  }

  async add(rows: readonly CountsRow[]): Promise<void> {
    await this.#writer.run('addCounts', rows)
  }

  async *read(range: CountsRange): AsyncIterable<readonly CountsRow[]> {
    const { span, from, to, sourceId, destinationId } = range
    const { where, values } = conditionsOf([
      ['source_id = ?', sourceId],
      ['destination_id = ?', destinationId],
      ['start IN (SELECT value FROM json_each(?))', startsOf(range)],
    ])
    let after: readonly [number, string, string] = [from - 1, '~', '~']
    for (;;) {
      const rows = await this.#readers.run('select', {
        sql: `SELECT start, source_id, destination_id, counts FROM statistics
          WHERE span = ? AND start < ? AND (start, source_id, destination_id) > (?, ?, ?) ${where}
          ORDER BY start, source_id, destination_id LIMIT ${BATCH}`,
        values: [span, to, ...after, ...values],
      })
      const batch = rows.map((row) => countsRowOf(span, row))
      if (batch.length > 0) yield batch
      const last = batch.at(-1)
      if (batch.length < BATCH || last === undefined) return
      after = [last.start, last.sourceId, last.destinationId]
    }
  }

  async removeBefore(span: Span, before: number): Promise<void> {
    await this.#writer.run('removeCounts', { span, before })
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

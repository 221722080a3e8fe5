import type { DatabaseSync } from 'node:sqlite'
import type { Counts, CountsRange, CountsRow, Span, Statistics } from '../../statistics.ts'
import { turn } from '../../../util/clock.ts'
import { conditionsOf } from '../database/conditions.ts'
import type { Row } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import type { Writer } from '../writer.ts'

/** Rows of one batch: a few milliseconds of work. */
const BATCH = 2_000

/** Counts on the table `statistics`. */
export class SqliteStatistics implements Statistics {
  readonly #writer: Writer
  readonly #statements: Statements

  constructor(writer: Writer, reader: DatabaseSync) {
    this.#writer = writer
    this.#statements = new Statements(reader)
  }

  async add(rows: readonly CountsRow[]): Promise<void> {
    await this.#writer.run('addCounts', rows)
  }

  async *read(range: CountsRange): AsyncIterable<readonly CountsRow[]> {
    const { span, from, to, sourceId, destinationId } = range
    const { where, values } = conditionsOf([
      ['source_id = ?', sourceId],
      ['destination_id = ?', destinationId],
    ])
    let after: readonly [number, string, string] = [from - 1, '~', '~']
    for (;;) {
      const rows = this.#statements.all(
        `SELECT start, source_id, destination_id, counts FROM statistics
         WHERE span = ? AND start < ? AND (start, source_id, destination_id) > (?, ?, ?) ${where}
         ORDER BY start, source_id, destination_id LIMIT ${BATCH}`,
        [span, to, ...after, ...values],
      )
      const batch = rows.map((row) => countsRowOf(span, row))
      if (batch.length > 0) yield batch
      const last = batch.at(-1)
      if (batch.length < BATCH || last === undefined) return
      after = [last.start, last.sourceId, last.destinationId]
      await turn()
    }
  }

  async removeBefore(span: Span, before: number): Promise<void> {
    await this.#writer.run('removeCounts', { span, before })
  }
}

function countsRowOf(span: Span, row: Row): CountsRow {
  return {
    span,
    start: Number(row['start']),
    sourceId: String(row['source_id']),
    destinationId: String(row['destination_id']),
    counts: JSON.parse(String(row['counts'])) as Counts,
  }
}

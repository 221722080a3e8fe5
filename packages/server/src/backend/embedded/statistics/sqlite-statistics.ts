import type { CountsRange, CountsRow, Span, Statistics } from '../../statistics.ts'
import type { Readers } from '../readers.ts'
import type { Writer } from '../writer.ts'

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
    let batch = await this.#readers.run('readCounts', { range, after: undefined })
    for (;;) {
      if (batch.rows.length > 0) yield batch.rows
      if (batch.after === undefined) return
      batch = await this.#readers.run('readCounts', { range, after: batch.after })
    }
  }

  async removeBefore(span: Span, before: number): Promise<void> {
    await this.#writer.run('removeCounts', { span, before })
  }
}

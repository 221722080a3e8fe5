import { sql } from 'kysely'
import {
  type CountsRange,
  type CountsRow,
  type Span,
  type Statistics,
  sumOf,
  summedUp,
} from '../../statistics.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'
import { type Place, readCounts } from './read-counts.ts'

/** Rows that one statement writes or removes. */
const WRITTEN = 5_000

/** Counts in the table `statistics`, which all nodes add to. */
export class PostgresStatistics implements Statistics {
  readonly #postgres: Postgres

  constructor(postgres: Postgres) {
    this.#postgres = postgres
  }

  async add(rows: readonly CountsRow[]): Promise<void> {
    const added = inOrder(rows)
    await this.#postgres.write(async (transaction) => {
      for (let from = 0; from < added.length; from += WRITTEN)
        await addingOf(added.slice(from, from + WRITTEN)).execute(transaction)
    })
  }

  async *read(range: CountsRange): AsyncIterable<readonly CountsRow[]> {
    const { from, stepMs } = range
    let after: Place | undefined
    do {
      const batch = await this.#postgres.read((db) => readCounts(db, range, after))
      const { rows } = batch
      if (rows.length > 0) yield stepMs === undefined ? rows : summedUp(rows, { from, stepMs })
      after = batch.after
    } while (after !== undefined)
  }

  async removeBefore(span: Span, before: number): Promise<void> {
    for (let removed = WRITTEN; removed === WRITTEN;) {
      const rows = await this.#postgres.run(sql`
        DELETE FROM statistics WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM statistics WHERE span = ${span} AND start < ${before} LIMIT ${WRITTEN}))
        RETURNING 1`)
      removed = rows.length
    }
  }
}

function addingOf(rows: readonly CountsRow[]) {
  return sql`
    INSERT INTO statistics AS kept (span, start, source_id, destination_id, counts)
    SELECT * FROM unnest(${rows.map(({ span }) => span)}::text[], ${rows.map(({ start }) => start)}::bigint[],
      ${rows.map(({ sourceId }) => toText(sourceId))}::text[],
      ${rows.map(({ destinationId }) => toText(destinationId))}::text[],
      ${rows.map(({ counts }) => JSON.stringify(counts))}::jsonb[])
    ON CONFLICT (span, start, source_id, destination_id)
      DO UPDATE SET counts = sum_of_counts(kept.counts, excluded.counts)`
}

/** Each row once, and in one order on all nodes: so that they do not wait for each other in a circle. */
function inOrder(rows: readonly CountsRow[]): CountsRow[] {
  const byKey = new Map<string, CountsRow>()
  for (const row of rows) {
    const key = [row.span, row.start, row.sourceId, row.destinationId].join(' ')
    const counts = sumOf(byKey.get(key)?.counts ?? {}, row.counts)
    byKey.set(key, { ...row, counts })
  }
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

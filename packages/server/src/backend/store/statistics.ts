import {
  type Counts,
  type CountsRange,
  type CountsRow,
  type Span,
  type Statistics,
  sumOf,
  summedUp,
} from '../statistics.ts'
import { conditionsOf } from './rows.ts'
import { sql, type Statement } from './sql.ts'
import type { Store, Tx } from './store.ts'

/** The number of rows that one statement reads in a few milliseconds. */
const BATCH_ROWS = 2_000
const WRITTEN_ROWS = 5_000

interface Row extends Pick<CountsRow, 'start' | 'sourceId' | 'destinationId'> {
  /** JSON. */
  readonly counts: string
}

export function storedStatistics(store: Store): Statistics {
  return {
    add: (rows) => store.write(addCounts, inOrder(rows)),

    async *read(range) {
      const { from, stepMs } = range
      let after: Row | undefined
      do {
        const rows: readonly Row[] = await store.list(batchAfter(range, after))
        const counts = rows.map((row): CountsRow => {
          return { ...row, span: range.span, counts: JSON.parse(row.counts) as Counts }
        })
        if (rows.length > 0)
          yield stepMs === undefined ? counts : summedUp(counts, { from, stepMs })
        after = rows.length < BATCH_ROWS ? undefined : rows.at(-1)
      } while (after !== undefined)
    },

    async removeBefore(span, before) {
      for (let removed = WRITTEN_ROWS; removed === WRITTEN_ROWS;)
        removed = await store.write(removeCounts, { span, before })
    },
  }
}

function batchAfter(
  { span, from, to, sourceId, destinationId }: CountsRange,
  after: Row | undefined,
): Statement<Row> {
  const isAfter =
    after &&
    sql`AND (start, source_id, destination_id) > (${after.start}, ${after.sourceId}, ${after.destinationId})`
  // The index by destination has only rows with a destination.
  const hasDestination = sql`AND destination_id <> ''`
  // The condition on `start` alone lets each index begin there.
  return sql<Row>`
    SELECT start, source_id AS "sourceId", destination_id AS "destinationId", counts FROM statistics
    WHERE span = ${span} AND start >= ${after?.start ?? from} AND start < ${to} ${isAfter ?? sql``}
      ${conditionsOf({ source_id: sourceId, destination_id: destinationId })}
      ${destinationId ? hasDestination : sql``}
    ORDER BY start, source_id, destination_id LIMIT ${BATCH_ROWS}`
}

/** Each row once, in the same order on all nodes to prevent deadlocks. */
function inOrder(rows: readonly CountsRow[]): CountsRow[] {
  const byKey = new Map<string, CountsRow>()
  for (const row of rows) {
    const key = [row.span, row.start, row.sourceId, row.destinationId].join(' ')
    const counts = sumOf(byKey.get(key)?.counts ?? {}, row.counts)
    byKey.set(key, { ...row, counts })
  }
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

export async function addCounts(tx: Tx, rows: readonly CountsRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += WRITTEN_ROWS)
    await addSome(tx, rows.slice(from, from + WRITTEN_ROWS))
}

async function addSome(tx: Tx, rows: readonly CountsRow[]): Promise<void> {
  const input = tx.dialect.rows(rows, {
    text: ['span', 'sourceId', 'destinationId'],
    number: ['start'],
    json: ['counts'],
  })
  // Without WHERE, SQLite would parse ON as a join condition.
  await tx.run(sql`
    INSERT INTO statistics AS kept (span, start, source_id, destination_id, counts)
    SELECT span, start, source_id, destination_id, counts FROM ${input} WHERE true
    ON CONFLICT (span, start, source_id, destination_id)
      DO UPDATE SET counts = sum_of_counts(kept.counts, excluded.counts)`)
}

export function removeCounts(
  tx: Tx,
  { span, before }: { readonly span: Span; readonly before: number },
): Promise<number> {
  return tx.run(sql`
    DELETE FROM statistics WHERE span = ${span} AND (start, source_id, destination_id) IN (
      SELECT start, source_id, destination_id FROM statistics
      WHERE span = ${span} AND start < ${before} LIMIT ${WRITTEN_ROWS})`)
}

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

/** Rows that one statement reads: a few milliseconds of work for this thread. */
const BATCH_ROWS = 2_000
/** Rows that one statement writes or removes. */
const WRITTEN_ROWS = 5_000

interface Row {
  readonly start: number
  readonly source_id: string
  readonly destination_id: string
  /** JSON. */
  readonly counts: string
}

/** Counts in the table `statistics`, which all nodes add to. */
export function storedStatistics(store: Store): Statistics {
  return {
    add: (rows) => store.write(addCounts, inOrder(rows)),

    async *read(range) {
      const { from, stepMs } = range
      let after: Row | undefined
      do {
        const rows: readonly Row[] = await store.list(batchAfter(range, after))
        const counts = rows.map((row) => countsRowOf(range.span, row))
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
    sql`AND (start, source_id, destination_id) > (${after.start}, ${after.source_id}, ${after.destination_id})`
  // Rows of no destination are in no index of destinations.
  const hasDestination = sql`AND destination_id <> ''`
  // The first time by itself: each index can begin there.
  return sql<Row>`
    SELECT start, source_id, destination_id, counts FROM statistics
    WHERE span = ${span} AND start >= ${after?.start ?? from} AND start < ${to} ${isAfter ?? sql``}
      ${conditionsOf({ source_id: sourceId, destination_id: destinationId })}
      ${destinationId ? hasDestination : sql``}
    ORDER BY start, source_id, destination_id LIMIT ${BATCH_ROWS}`
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

function countsRowOf(span: Span, row: Row): CountsRow {
  const { start, source_id: sourceId, destination_id: destinationId, counts } = row
  return { span, start, sourceId, destinationId, counts: JSON.parse(counts) as Counts }
}

export async function addCounts(tx: Tx, rows: readonly CountsRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += WRITTEN_ROWS)
    await addSome(tx, rows.slice(from, from + WRITTEN_ROWS))
}

async function addSome(tx: Tx, rows: readonly CountsRow[]): Promise<void> {
  const given = tx.dialect.given({
    span: ['text', rows.map(({ span }) => span)],
    start: ['number', rows.map(({ start }) => start)],
    source_id: ['text', rows.map(({ sourceId }) => sourceId)],
    destination_id: ['text', rows.map(({ destinationId }) => destinationId)],
    counts: ['text', rows.map(({ counts }) => JSON.stringify(counts))],
  })
  // SQLite would read ON as the condition of a join, without the WHERE.
  await tx.run(sql`
    INSERT INTO statistics AS kept (span, start, source_id, destination_id, counts)
    SELECT span, start, source_id, destination_id, counts FROM ${given} WHERE true
    ON CONFLICT (span, start, source_id, destination_id)
      DO UPDATE SET counts = sum_of_counts(kept.counts, excluded.counts)`)
}

/** Removes some rows that begin before a time, and resolves to their number. */
export function removeCounts(
  tx: Tx,
  { span, before }: { readonly span: Span; readonly before: number },
): Promise<number> {
  return tx.run(sql`
    DELETE FROM statistics WHERE span = ${span} AND (start, source_id, destination_id) IN (
      SELECT start, source_id, destination_id FROM statistics
      WHERE span = ${span} AND start < ${before} LIMIT ${WRITTEN_ROWS})`)
}

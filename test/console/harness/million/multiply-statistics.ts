import type { DatabaseSync } from 'node:sqlite'
import {
  type Counts,
  SPANS,
  type Span,
} from '../../../../packages/server/src/backend/statistics.ts'
import type { EventCopies } from './multiply-events.ts'

/** The counts for one source and destination, for all original events. */
interface EventCounts {
  readonly sourceId: string
  readonly destinationId: string
  readonly counts: Counts
}

/**
 * Adds the counts of the copied events: each minute and each hour gets a proportional share of the original counts, rounded to
 * whole numbers.
 */
export function multiplyStatistics(
  db: DatabaseSync,
  { from, to, count }: EventCopies,
  originals: number,
): void {
  const totals = totalsOf(db)
  const insert = db.prepare('INSERT OR IGNORE INTO statistics VALUES (?, ?, ?, ?, ?)')
  for (const [span, spanMs] of Object.entries(SPANS) as [Span, number][]) {
    const share = ((count / originals) * spanMs) / (to - from)
    for (let start = Math.ceil(from / spanMs) * spanMs; start < to; start += spanMs)
      for (const { sourceId, destinationId, counts } of totals)
        insert.run(span, start, sourceId, destinationId, JSON.stringify(shareOf(counts, share)))
  }
}

function totalsOf(db: DatabaseSync): readonly EventCounts[] {
  const totals = new Map<
    string,
    { sourceId: string; destinationId: string; counts: Record<string, number> }
  >()
  for (const row of db.prepare("SELECT * FROM statistics WHERE span = 'minute'").all()) {
    const [sourceId, destinationId] = [String(row['source_id']), String(row['destination_id'])]
    const key = `${sourceId} ${destinationId}`
    const total = totals.get(key) ?? { sourceId, destinationId, counts: {} }
    for (const [name, value] of Object.entries(JSON.parse(String(row['counts'])) as Counts))
      total.counts[name] = (total.counts[name] ?? 0) + value
    totals.set(key, total)
  }
  return [...totals.values()]
}

/** Counts of pending deliveries are samples, so they are not scaled. */
function shareOf(counts: Counts, share: number): Counts {
  return Object.fromEntries(
    Object.entries(counts).map(([name, value]) => [
      name,
      name.startsWith('pending.') ? value : Math.round(value * share),
    ]),
  )
}

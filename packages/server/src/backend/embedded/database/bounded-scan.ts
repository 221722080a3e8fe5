import { turn } from '../../../util/clock.ts'

/** Rows that one step looks at: a few milliseconds of work, so that no list holds up ingestion. */
export const SCAN_CHUNK = 2_500
/** Steps for one page. A page that found too few rows by then is short, and its cursor leads on. */
const MOST_STEPS = 20

/** What one step found, and where the next begins; `null` where nothing is left. */
export interface Scanned<Row, Place> {
  readonly rows: readonly Row[]
  readonly next: Place | null
}

/**
 * Looks through a table step by step until it has found `limit` rows, reached the end, or made MOST_STEPS steps. The
 * event loop runs between the steps. `next` is where it stopped: rows from there on were not looked at.
 */
export async function scan<Row, Place>(
  start: Place | null,
  limit: number,
  step: (from: Place, limit: number) => Scanned<Row, Place>,
): Promise<Scanned<Row, Place>> {
  const rows: Row[] = []
  let next = start
  for (let steps = 0; next !== null && rows.length < limit && steps < MOST_STEPS; steps += 1) {
    if (steps > 0) await turn()
    const scanned: Scanned<Row, Place> = step(next, limit - rows.length)
    rows.push(...scanned.rows)
    next = scanned.next
  }
  return { rows, next }
}

import { turn } from '../../../util/turn.ts'

/** Rows looked at in one go: some milliseconds of work, for no look-up may hold up ingestion. */
export const SCAN_CHUNK = 2_500
/** Goes of one page. Where they find too little, the page is short and its cursor leads on. */
const MOST_CHUNKS = 20

/** What one go found, and where the next begins; `null` where nothing is left. */
export interface Scanned<Row, Place> {
  readonly rows: readonly Row[]
  readonly next: Place | null
}

/**
 * Looks through a table go by go until `limit` rows are found, it ends, or it was long enough; others have
 * their turn in between. `next` is where it stopped: rows from there on were not looked at.
 */
export async function scan<Row, Place>(
  start: Place | null,
  limit: number,
  step: (from: Place, limit: number) => Scanned<Row, Place>,
): Promise<Scanned<Row, Place>> {
  const rows: Row[] = []
  let next = start
  for (let chunks = 0; next !== null && rows.length < limit && chunks < MOST_CHUNKS; chunks += 1) {
    if (chunks > 0) await turn()
    const scanned: Scanned<Row, Place> = step(next, limit - rows.length)
    rows.push(...scanned.rows)
    next = scanned.next
  }
  return { rows, next }
}

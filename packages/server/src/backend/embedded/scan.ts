import { turn } from '../../util/turn.ts'

/** Rows looked at in one go: some milliseconds of work, for no look-up may hold up ingestion. */
export const SCAN_CHUNK = 2_500
/** Goes of one page. Where they find too little, the page is short and its cursor leads on. */
const MOST_GOES = 20

/** What one go found, and where the next begins; `null` where nothing is left. */
export interface Scanned<Row, Place> {
  readonly rows: readonly Row[]
  readonly next: Place | null
}

/** How a table is looked through. */
export interface Look<Row, Place> {
  /** Looks at some rows: where they are read one by one, at SCAN_CHUNK of them. */
  readonly step: (from: Place, limit: number) => Scanned<Row, Place>
  /** So many steps are one go. */
  readonly stepsInOneGo: number
}

/**
 * Looks through a table go by go until `limit` rows are found, it ends, or it was long enough; others have
 * their turn in between. `next` is where it stopped: rows from there on were not looked at.
 */
export async function scan<Row, Place>(
  start: Place | null,
  limit: number,
  { step, stepsInOneGo }: Look<Row, Place>,
): Promise<Scanned<Row, Place>> {
  const rows: Row[] = []
  let next = start
  for (let steps = 0; next !== null && rows.length < limit; steps++) {
    if (steps === MOST_GOES * stepsInOneGo) break
    if (steps > 0 && steps % stepsInOneGo === 0) await turn()
    const scanned: Scanned<Row, Place> = step(next, limit - rows.length)
    rows.push(...scanned.rows)
    next = scanned.next
  }
  return { rows, next }
}

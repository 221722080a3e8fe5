/**
 * Rows that one step looks at. Where a statement passes texts to a function in JavaScript, all of them stay in memory until
 * it ends: 32 MB for a step.
 */
export const SCAN_CHUNK = 500
/**
 * How long a page may take. A page that found too few rows by then is short, and its cursor leads on. Until it ends, its
 * read transaction keeps the write-ahead log from being emptied.
 */
const PAGE_MS = 50

/** What one step found, and where the next begins; `null` where nothing is left. */
export interface Scanned<Row, Place> {
  readonly rows: readonly Row[]
  readonly next: Place | null
}

/**
 * Looks through a table step by step until it has found `limit` rows, reached the end, or taken PAGE_MS. `next` is where it
 * stopped: rows from there on were not looked at.
 */
export function scan<Row, Place>(
  start: Place | null,
  limit: number,
  step: (from: Place, limit: number) => Scanned<Row, Place>,
): Scanned<Row, Place> {
  const deadline = performance.now() + PAGE_MS
  const rows: Row[] = []
  let next = start
  // At least one step, however long the machine has kept the thread waiting.
  while (next !== null && rows.length < limit) {
    const scanned: Scanned<Row, Place> = step(next, limit - rows.length)
    rows.push(...scanned.rows)
    next = scanned.next
    if (performance.now() >= deadline) break
  }
  return { rows, next }
}

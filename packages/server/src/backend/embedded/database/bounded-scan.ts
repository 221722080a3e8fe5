/**
 * Rows that one step looks at. Where a statement passes texts to a function in JavaScript, all of them stay in memory until
 * it ends: at most 32 MB for a step.
 */
export const SCAN_CHUNK = 500
/** Chunks that one page looks at. A page that found too few rows by then is short, and its cursor leads on. */
export const MOST_CHUNKS = 100
/** How long a page may take where rows are large: its read transaction keeps the write-ahead log from being emptied. */
const PAGE_MS = 1_000

/** What one step found, and where the next begins; `null` where nothing is left. */
export interface Scanned<Row, Place> {
  readonly rows: readonly Row[]
  readonly next: Place | null
}

/** How much of a table one page looks at: until it has found `limit` rows, or made `steps` steps. */
interface Bounds {
  readonly limit: number
  readonly steps: number
}

/**
 * Looks through a table step by step until it has found `limit` rows, reached the end, made all steps, or taken PAGE_MS.
 * `next` is where it stopped: rows from there on were not looked at.
 */
export function scan<Row, Place>(
  start: Place | null,
  { limit, steps }: Bounds,
  step: (from: Place, limit: number) => Scanned<Row, Place>,
): Scanned<Row, Place> {
  const deadline = performance.now() + PAGE_MS
  const rows: Row[] = []
  let next = start
  for (let made = 0; next !== null && rows.length < limit && made < steps; made++) {
    // At least one step, however long the machine has kept the thread waiting.
    if (made > 0 && performance.now() >= deadline) break
    const scanned: Scanned<Row, Place> = step(next, limit - rows.length)
    rows.push(...scanned.rows)
    next = scanned.next
  }
  return { rows, next }
}

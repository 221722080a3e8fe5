/** The resolutions of counts, in milliseconds. Minutes are kept for some days, hours for long. */
export const SPANS = { minute: 60_000, hour: 3_600_000 } as const

export type Span = keyof typeof SPANS

/** Counts by name, for example `received` or `failed.expired`. */
export type Counts = Readonly<Record<string, number>>

/** The counts of one span of time for one source and destination; `''` stands for none. */
export interface CountsRow {
  readonly span: Span
  /** When the span begins, in milliseconds since the epoch. */
  readonly start: number
  readonly sourceId: string
  readonly destinationId: string
  readonly counts: Counts
}

/** Which rows are read. */
export interface CountsRange {
  readonly span: Span
  /** Rows that begin at this time or later, in milliseconds since the epoch. */
  readonly from: number
  /** Rows that begin before this time. */
  readonly to: number
  readonly sourceId?: string
  readonly destinationId?: string
  /**
   * Sums up the rows of each source and destination in steps of this length, the first of which begins at `from`. There may be
   * several sums of one step, and counts that are not stored yet come as they are.
   */
  readonly stepMs?: number
}

/** Counts over time: one row for each span, source and destination that had any. */
export interface Statistics {
  /** Adds the counts to those that are kept. Durable when it resolves, all or none. A second call counts twice. */
  add(rows: readonly CountsRow[]): Promise<void>
  /** Rows in the order of time, in batches that take a few milliseconds each. */
  read(range: CountsRange): AsyncIterable<readonly CountsRow[]>
  /** Removes rows of this span that begin before `before`. Durable when it resolves. Safe to call twice. */
  removeBefore(span: Span, before: number): Promise<void>
}

/** One row for each step, source and destination. */
export function summedUp(
  rows: readonly CountsRow[],
  { from, stepMs }: { readonly from: number; readonly stepMs: number },
): readonly CountsRow[] {
  const sums = new Map<string, CountsRow & { readonly counts: Record<string, number> }>()
  for (const { start: at, counts, ...rest } of rows) {
    const start = from + Math.floor((at - from) / stepMs) * stepMs
    const key = `${start} ${rest.sourceId} ${rest.destinationId}`
    const sum = sums.get(key)
    if (sum === undefined) sums.set(key, { ...rest, start, counts: { ...counts } })
    else addTo(sum.counts, counts)
  }
  return [...sums.values()]
}

export function sumOf(a: Counts, b: Counts): Counts {
  const sum = { ...a }
  addTo(sum, b)
  return sum
}

function addTo(sum: Record<string, number>, counts: Counts): void {
  for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count
}

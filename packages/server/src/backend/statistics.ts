/** The resolutions of counts, in milliseconds. Minutes are kept for days, hours for longer. */
export const SPANS = { minute: 60_000, hour: 3_600_000 } as const

export type Span = keyof typeof SPANS

/** Counts by name, for example `received` or `failed.expired`. */
export type Counts = Readonly<Record<string, number>>

/** The counts in one span of time for one source and destination; `''` stands for none. */
export interface CountsRow {
  readonly span: Span
  readonly start: number
  readonly sourceId: string
  readonly destinationId: string
  readonly counts: Counts
}

export interface CountsRange {
  readonly span: Span
  readonly from: number
  readonly to: number
  readonly sourceId?: string
  readonly destinationId?: string
  /**
   * Sums rows per step of this length, starting at `from`. Each batch is summed separately, so a step may come back as several
   * rows; unwritten counts come back unsummed.
   */
  readonly stepMs?: number
}

/** Counts over time: one row for each span, source and destination that has counts. */
export interface Statistics {
  /** Adds to the stored counts. Not idempotent. */
  add(rows: readonly CountsRow[]): Promise<void>
  read(range: CountsRange): AsyncIterable<readonly CountsRow[]>
  removeBefore(span: Span, before: number): Promise<void>
}

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

/** The lengths of time that counts are kept for: minutes for some days, hours for long. */
export const SPANS = { minute: 60_000, hour: 3_600_000 } as const

export type Span = keyof typeof SPANS

/** Counts by name, for example `received` or `failed.expired`. */
export type Counts = Readonly<Record<string, number>>

/** What was counted in one span of time for one source and destination; `''` stands for none. */
export interface CountsRow {
  readonly span: Span
  /** When the span begins, in milliseconds since the epoch. */
  readonly start: number
  readonly sourceId: string
  readonly destinationId: string
  readonly counts: Counts
}

export interface CountsRange {
  readonly span: Span
  /** The first start, in milliseconds since the epoch. */
  readonly from: number
  /** Before this one. */
  readonly to: number
  readonly sourceId?: string
  readonly destinationId?: string
}

/** Counts over time: one row for each span, source and destination that had any. */
export interface Statistics {
  /** Adds the counts to what is there. Durable when it resolves, all or none. */
  add(rows: readonly CountsRow[]): Promise<void>
  /** Rows in the order of time, a batch at a time, so that none takes long. */
  read(range: CountsRange): AsyncIterable<readonly CountsRow[]>
  /** Removes rows of this span that begin before `before`. */
  removeBefore(span: Span, before: number): Promise<void>
}

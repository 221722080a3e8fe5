export interface PageRequest {
  /** At most this many items. */
  readonly limit: number
  /** What `nextCursor` of the page before said; absent for the first page. */
  readonly cursor?: string
}

/** A part of a list. Items inserted meanwhile neither repeat nor hide others. */
export interface Page<T> {
  readonly data: readonly T[]
  /** `null` on the last page. */
  readonly nextCursor: string | null
}

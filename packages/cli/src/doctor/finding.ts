/** The result of one check. */
export interface Finding {
  readonly ok: boolean
  /** The check passed, but somebody should look at what it found. */
  readonly warning?: true
  readonly detail: string
  /** What was found, one text for each thing: which one, since when, and when it is tried next. */
  readonly causes?: readonly string[]
  /** What to do about it. */
  readonly next?: string
}

import { Failure } from '../failure.ts'

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

/** The result of a check that threw an error. A hint of the error says what to do. */
export function failedCheck(error: unknown): Finding {
  const detail = (error as Error).message
  const next = error instanceof Failure ? error.hint : undefined
  return { ok: false, detail, ...(next !== undefined && { next }) }
}

import { Failure } from '../failure.ts'

export interface Finding {
  readonly ok: boolean
  /** Passed, but needs attention. */
  readonly warning?: true
  readonly detail: string
  readonly causes?: readonly string[]
  readonly next?: string
}

export interface CheckResult extends Finding {
  readonly check: string
}

export function failedCheck(error: unknown): Finding {
  const detail = (error as Error).message
  const next = error instanceof Failure ? error.hint : undefined
  return { ok: false, detail, ...(next !== undefined && { next }) }
}

export interface PageRequest {
  readonly limit: number
  readonly cursor?: string
}

/** A part of a list. Concurrent inserts neither repeat nor hide other items. Cursors are opaque, and valid for their list only. */
export interface Page<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
}

export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError'
}

const NUMBER = /^\d{1,15}$/

/** @throws {InvalidCursorError} if the cursor is not a number */
export function numberIn(cursor: string): number {
  if (!NUMBER.test(cursor)) throw new InvalidCursorError()
  return Number(cursor)
}

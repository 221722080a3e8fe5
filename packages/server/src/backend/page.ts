/** Which part of a list is asked for. */
export interface PageRequest {
  /** At most this many items. */
  readonly limit: number
  /** `nextCursor` of the page before; absent for the first page. */
  readonly cursor?: string
}

/**
 * A part of a list. Items that are inserted between two requests neither repeat others nor hide them. A cursor belongs
 * to the list that returned it, and only the backend knows its form.
 */
export interface Page<T> {
  readonly data: readonly T[]
  /** `null` on the last page. */
  readonly nextCursor: string | null
}

/** A cursor that no page of the list had. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor'
}

const NUMBER = /^\d{1,15}$/

/**
 * The number in a cursor.
 * @throws {InvalidCursor}
 */
export function numberIn(cursor: string): number {
  if (!NUMBER.test(cursor)) throw new InvalidCursor()
  return Number(cursor)
}

import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Row } from './rows.ts'

/** One SELECT. Its text is written in the code: only values come from outside. */
interface Selection {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** Performs any SELECT. */
export function select(db: DatabaseSync): (selection: Selection) => Row[] {
  // Prepared for each read: a statement that is kept for each text that ever came would need memory without a bound.
  return ({ sql, values }) => db.prepare(sql).all(...values)
}

import type { SQLOutputValue } from 'node:sqlite'

/** One row of a SELECT, by column. */
export type Row = Record<string, SQLOutputValue>

/** A nullable INTEGER column as a number. */
export function numberOrNull(value: SQLOutputValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value)
}

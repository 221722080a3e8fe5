import type { DatabaseSync } from 'node:sqlite'

/** A number of events, and a number of deliveries. */
export interface RowCounts {
  readonly events: number
  readonly deliveries: number
}

/** Prepares the function that changes the counts of missing rows (`0011-missing-rows.ts`). */
export function missingRowsCounter(db: DatabaseSync): (change: Partial<RowCounts>) => void {
  const add = db.prepare('UPDATE missing_rows SET events = events + ?, deliveries = deliveries + ?')
  return ({ events = 0, deliveries = 0 }) => {
    if (events !== 0 || deliveries !== 0) add.run(events, deliveries)
  }
}

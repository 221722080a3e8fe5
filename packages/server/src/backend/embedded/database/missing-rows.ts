import type { DatabaseSync } from 'node:sqlite'
import type { MissingCounts } from '../../upkeep.ts'

export function missingRowsCounter(db: DatabaseSync): (change: Partial<MissingCounts>) => void {
  const add = db.prepare(
    `UPDATE missing_rows
     SET events = events + ?, decisions = decisions + ?, deliveries = deliveries + ?`,
  )
  return ({ events = 0, decisions = 0, deliveries = 0 }) => {
    if (events !== 0 || decisions !== 0 || deliveries !== 0) add.run(events, decisions, deliveries)
  }
}

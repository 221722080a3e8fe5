import type { DatabaseSync } from 'node:sqlite'
import type { Missing } from '../../upkeep.ts'

/** Prepares the function that changes the counts of missing rows (`0011-missing-rows.ts`). */
export function missingRowsCounter(db: DatabaseSync): (change: Partial<Missing>) => void {
  const add = db.prepare(
    `UPDATE missing_rows
     SET events = events + ?, decisions = decisions + ?, deliveries = deliveries + ?`,
  )
  return ({ events = 0, decisions = 0, deliveries = 0 }) => {
    if (events !== 0 || decisions !== 0 || deliveries !== 0) add.run(events, decisions, deliveries)
  }
}

/** Prepares the function that takes back what triggers have counted as missing, because it was removed on purpose. */
export function removedRowsCounter(db: DatabaseSync): (removed: readonly Missing[]) => void {
  const count = missingRowsCounter(db)
  return (removed) => {
    const sum = (name: keyof Missing): number => removed.reduce((all, each) => all - each[name], 0)
    count({ events: sum('events'), decisions: sum('decisions'), deliveries: sum('deliveries') })
  }
}

import type { DatabaseSync } from 'node:sqlite'

/** actorId, action, targetId, document: a row of `audit`. */
export type AuditRow = readonly [string, string, string | null, string]

export function appendAudit(db: DatabaseSync): (row: AuditRow) => void {
  const insert = db.prepare(
    'INSERT INTO audit (actor_id, action, target_id, document) VALUES (?, ?, ?, ?)',
  )
  return (row) => {
    insert.run(...row)
  }
}

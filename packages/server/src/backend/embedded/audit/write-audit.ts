import type { DatabaseSync } from 'node:sqlite'
import type { AuditEntry } from '../../audit.ts'

/** A row of `audit`. */
export type AuditRow = readonly [
  actorId: string,
  action: string,
  targetId: string | null,
  document: string,
]

export function auditRow(entry: AuditEntry): AuditRow {
  return [entry.actor.id, entry.action, entry.targetId, JSON.stringify(entry)]
}

export function appendAudit(db: DatabaseSync): (row: AuditRow) => void {
  const insert = db.prepare(
    'INSERT INTO audit (actor_id, action, target_id, document) VALUES (?, ?, ?, ?)',
  )
  return (row) => {
    insert.run(...row)
  }
}

const SLICE_ENTRIES = 500

/** Removes those of the oldest entries that were made before `before`, and returns how many. */
export function removeAudit(db: DatabaseSync): (before: number) => number {
  const remove = db.prepare(
    `DELETE FROM audit WHERE seq IN (SELECT seq FROM audit ORDER BY seq LIMIT ${SLICE_ENTRIES})
     AND document ->> '$.at' < ?`,
  )
  return (before) => Number(remove.run(before).changes)
}

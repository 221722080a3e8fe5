import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { AuditEntry } from '../../audit.ts'

/** A row of `audit`. The whole entry is sealed under its id, because it shows URLs. The columns are what lists look for. */
export type AuditRow = readonly [
  id: string,
  at: number,
  actorId: string,
  action: string,
  targetId: string | null,
  sealed: string,
]

export function auditRow(entry: AuditEntry, box: SecretBox): AuditRow {
  const { id, at, actor, action, targetId } = entry
  return [id, at, actor.id, action, targetId, box.seal(JSON.stringify(entry), id)]
}

export function appendAudit(db: DatabaseSync): (row: AuditRow) => void {
  const insert = db.prepare(
    'INSERT INTO audit (id, at, actor_id, action, target_id, sealed) VALUES (?, ?, ?, ?, ?, ?)',
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
     AND at < ?`,
  )
  return (before) => Number(remove.run(before).changes)
}

import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { AuditEntry } from '../../audit.ts'
import type { ResponseToKeep } from '../../idempotent-responses.ts'
import { keepWithChange } from '../idempotent-responses/write-idempotent-responses.ts'

/** What a change writes beside itself, in its transaction. */
export interface AuditWrite {
  readonly row: AuditRow
  readonly response: ResponseToKeep | undefined
}

/** A row of `audit`. The whole entry is sealed under its id, because it shows URLs. The columns are what lists look for. */
type AuditRow = readonly [
  id: string,
  at: number,
  actorId: string,
  action: string,
  targetId: string | null,
  sealed: string,
]

export function auditWrite({ response, ...entry }: AuditEntry, box: SecretBox): AuditWrite {
  const { id, at, actor, action, targetId } = entry
  return {
    row: [id, at, actor.id, action, targetId, box.seal(JSON.stringify(entry), id)],
    response,
  }
}

export function appendAudit(db: DatabaseSync): (write: AuditWrite) => void {
  const insert = db.prepare(
    'INSERT INTO audit (id, at, actor_id, action, target_id, sealed) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const keep = keepWithChange(db)
  return ({ row, response }) => {
    insert.run(...row)
    if (response !== undefined) keep(response)
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

import type { DatabaseSync } from 'node:sqlite'
import type { Suppression } from '../../suppressions.ts'

export function addSuppressions(db: DatabaseSync): (suppressions: readonly Suppression[]) => void {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO suppressions (user_id, source_id, since, deletion_id) VALUES (?, ?, ?, ?)`,
  )
  return (suppressions) => {
    for (const { userId, sourceId, since, deletionId } of suppressions)
      insert.run(userId, sourceId ?? '', since, deletionId)
  }
}

/** Returns whether there was any. */
export function removeSuppressions(db: DatabaseSync): (userId: string) => boolean {
  const remove = db.prepare('DELETE FROM suppressions WHERE user_id = ?')
  return (userId) => remove.run(userId).changes > 0
}

import type { DatabaseSync } from 'node:sqlite'
import type { Sync } from '../../syncs.ts'

/** Ended syncs that are kept for each computation. */
const KEPT = 20

/** Replaces a sync that is still as `before`. Returns whether it was. */
export function advanceSync(
  db: DatabaseSync,
): (step: { readonly before: Sync; readonly next: Sync }) => boolean {
  const select = db.prepare('SELECT document FROM syncs WHERE id = ?')
  const put = putSync(db)
  return ({ before, next }) => {
    if (select.get(before.id)?.['document'] !== JSON.stringify(before)) return false
    put(next)
    return true
  }
}

/** Adds or replaces a sync. Old ones of its computation go. */
export function putSync(db: DatabaseSync): (sync: Sync) => void {
  const put = db.prepare('INSERT OR REPLACE INTO syncs VALUES (?, ?, ?, ?)')
  const trim = db.prepare(
    `DELETE FROM syncs WHERE computation = ?1 AND NOT is_open AND id <= (
       SELECT id FROM syncs WHERE computation = ?1 AND NOT is_open
       ORDER BY id DESC LIMIT 1 OFFSET ${KEPT})`,
  )
  return (sync) => {
    const isOpen = sync.state !== 'done' && sync.state !== 'failed'
    put.run(sync.id, sync.computationId, isOpen ? 1 : 0, JSON.stringify(sync))
    if (!isOpen) trim.run(sync.computationId)
  }
}

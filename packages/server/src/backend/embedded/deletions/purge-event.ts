import type { DatabaseSync } from 'node:sqlite'
import type { Row } from '../database/rows.ts'
import { removedRowsCounter } from '../database/missing-rows.ts'
import { eventRemoval } from '../events/write-archive.ts'

/** What a slice of a purge has removed so far. */
export interface PurgedEvents {
  events: number
  /** Those of them without a userId. */
  anonymousEvents: number
  deliveries: number
}

/**
 * Prepares the removal of an event that a purge has found, unless it is of another source. The row has `id`, `source_id`,
 * `user_id` and `is_computed`. Returns whether the event is gone, and counts it.
 */
export function eventPurge(
  db: DatabaseSync,
): (row: Row, sourceIds: readonly string[] | null, purged: PurgedEvents) => boolean {
  const remove = eventRemoval(db)
  const notMissing = removedRowsCounter(db)
  return (
    { id, source_id: sourceId, user_id: userId, is_computed: isComputed },
    sourceIds,
    purged,
  ) => {
    // A computed event may tell of events of any source.
    const isCovered = isComputed === 1 || (sourceIds?.includes(String(sourceId)) ?? true)
    if (!isCovered) return false
    const removed = remove(String(id))
    notMissing([removed])
    purged.deliveries += removed.deliveries
    purged.events++
    if (userId === null) purged.anonymousEvents++
    return true
  }
}

/** Prepares the function that adds what a slice has removed to its deletion. */
export function purgeCounter(db: DatabaseSync): (deletionId: string, purged: PurgedEvents) => void {
  const count = db.prepare(
    `UPDATE deletions SET purged_events = purged_events + ?,
       purged_anonymous_events = purged_anonymous_events + ?,
       purged_deliveries = purged_deliveries + ? WHERE id = ?`,
  )
  return (deletionId, { events, anonymousEvents, deliveries }) => {
    if (events > 0) count.run(events, anonymousEvents, deliveries, deletionId)
  }
}

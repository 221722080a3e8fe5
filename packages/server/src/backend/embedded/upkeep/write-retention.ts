import type { DatabaseSync } from 'node:sqlite'
import type { Removal } from '../../upkeep.ts'
import { DELIVERIES_OF_EVENT, eventRemoval } from '../events/write-events.ts'

/** Events looked at in one slice, and how long it may take: whatever else is written waits as long. */
const SLICE_EVENTS = 500
const SLICE_MS = 8
const SLICE_OTHERS = 500

/** Removes the oldest events behind `afterSeq` that nobody needs any more, with what belongs to them. */
export function removeOldest(
  db: DatabaseSync,
): (slice: { readonly before: number | null; readonly afterSeq: number }) => Removal {
  const oldest = db.prepare(
    `SELECT seq, id, received_at FROM events
     WHERE seq > ? AND seq <= (SELECT acked FROM log_position) ORDER BY seq LIMIT ${SLICE_EVENTS}`,
  )
  const waiting = db.prepare(
    `SELECT 1 FROM deliveries WHERE ${DELIVERIES_OF_EVENT} AND state IN ('pending', 'held') LIMIT 1`,
  )
  const remove = eventRemoval(db)
  const removeOthers = otherRemoval(db)

  return ({ before, afterSeq }) => {
    const start = performance.now()
    if (before !== null && afterSeq === 0) removeOthers(before)
    const rows = oldest.all(afterSeq)
    let removed = 0
    let seenOld = false
    for (const { seq, id, received_at: receivedAt } of rows) {
      if (before !== null && Number(receivedAt) >= before) continue
      seenOld = true
      if (waiting.get(id!) === undefined) {
        remove(String(id))
        removed++
      }
      if (performance.now() - start > SLICE_MS) return { removed, cursor: String(seq) }
    }
    // One young event alone may come from a clock that was wrong; a whole slice of them is the present.
    const isEnd = rows.length < SLICE_EVENTS || !seenOld
    return { removed, cursor: isEnd ? null : String(rows.at(-1)!['seq']) }
  }
}

/** Finished replays, and quarantine whose event or delivery is gone already. */
function otherRemoval(db: DatabaseSync): (before: number) => void {
  const some = (select: string): string => `IN (${select} LIMIT ${SLICE_OTHERS})`
  const removals = [
    `DELETE FROM replays WHERE id ${some('SELECT id FROM replays WHERE finished_at < ?')}`,
    `DELETE FROM quarantine WHERE id ${some(
      `SELECT id FROM quarantine WHERE at < ?
       AND NOT EXISTS (SELECT 1 FROM events WHERE events.id = quarantine.id)
       AND NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.id = quarantine.id)`,
    )}`,
  ].map((sql) => db.prepare(sql))
  return (before) => {
    for (const removal of removals) removal.run(before)
  }
}

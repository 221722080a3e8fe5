import type { DatabaseSync } from 'node:sqlite'
import { eventRemoval } from '../events/write-events.ts'
import { firstSeqOf, SEGMENT, segmentOf } from '../log/segments.ts'

/** Whatever else is written waits as long. */
const SLICE_MS = 5
const READ_EVENTS = 200

/** Where a slice begins: which user, whether as `user_id` or `previous_id`, and behind which event. */
export interface PurgePlace {
  readonly user: number
  readonly column: 0 | 1
  readonly afterSeq: number
}

export interface PurgeInput {
  readonly deletionId: string
  readonly userIds: readonly string[]
  readonly sourceIds: readonly string[] | null
  readonly until: number
  readonly place: PurgePlace
}

/**
 * Removes what was received from users until a time, and returns where to go on; `null` at the end. What
 * ended replays looked for goes too, whose words may be of any user: they need it no more.
 */
export function purgeUsers(db: DatabaseSync): (input: PurgeInput) => PurgePlace | null {
  const purgeRows = rowPurge(db)
  const count = db.prepare(
    `UPDATE deletions SET purged_events = purged_events + ?, purged_deliveries = purged_deliveries + ?
     WHERE id = ?`,
  )
  const forgetTexts = db.prepare(
    `UPDATE replays SET document = json_remove(document, '$.selection.text')
     WHERE finished_at IS NOT NULL AND document ->> '$.selection.text' IS NOT NULL`,
  )
  return (input) => {
    const deadline = performance.now() + SLICE_MS
    if (isBeginning(input.place)) forgetTexts.run()
    const removed = { events: 0, deliveries: 0 }
    let place: PurgePlace | null = input.place
    while (place !== null && performance.now() < deadline) {
      const reachedSeq = purgeRows(input, place, { deadline, removed })
      place =
        reachedSeq === null
          ? placeAfter(place, input.userIds.length)
          : { ...place, afterSeq: reachedSeq }
    }
    if (removed.events > 0) count.run(removed.events, removed.deliveries, input.deletionId)
    return place
  }
}

interface Slice {
  readonly deadline: number
  readonly removed: { events: number; deliveries: number }
}

/** Goes through some events of one user; returns the last one's seq, `null` where there are no more. */
function rowPurge(
  db: DatabaseSync,
): (input: PurgeInput, place: PurgePlace, slice: Slice) => number | null {
  // Each by itself: SQLite finds one end of a table at once, and for both together reads all of it.
  const bounds = db.prepare(
    'SELECT (SELECT MIN(seq) FROM events) AS least, (SELECT MAX(seq) FROM events) AS last',
  )
  const selects = ['user_id', 'previous_id'].map((column) =>
    db.prepare(
      `SELECT seq, id, source_id, received_at FROM events
       WHERE ${SEGMENT} = ? AND ${column} = ? AND seq > ? ORDER BY seq LIMIT ${READ_EVENTS}`,
    ),
  )
  const remove = eventRemoval(db)
  return ({ userIds, sourceIds, until }, { user, column, afterSeq }, { deadline, removed }) => {
    const { least, last } = bounds.get()!
    let reachedSeq = Math.max(afterSeq, Number(least ?? 0) - 1)
    while (reachedSeq < Number(last ?? 0)) {
      const segment = segmentOf(reachedSeq + 1)
      const rows = selects[column]!.all(segment, userIds[user]!, reachedSeq)
      for (const { seq, id, source_id: sourceId, received_at: receivedAt } of rows) {
        const isMeant = sourceIds === null || sourceIds.includes(String(sourceId))
        if (isMeant && Number(receivedAt) <= until) {
          removed.deliveries += remove(String(id))
          removed.events++
        }
        if (performance.now() >= deadline) return Number(seq)
      }
      reachedSeq =
        rows.length < READ_EVENTS ? firstSeqOf(segment + 1) - 1 : Number(rows.at(-1)!['seq'])
      if (performance.now() >= deadline) return reachedSeq
    }
    return null
  }
}

function isBeginning({ user, column, afterSeq }: PurgePlace): boolean {
  return user === 0 && column === 0 && afterSeq === 0
}

function placeAfter({ user, column }: PurgePlace, users: number): PurgePlace | null {
  if (column === 0) return { user, column: 1, afterSeq: 0 }
  return user + 1 < users ? { user: user + 1, column: 0, afterSeq: 0 } : null
}

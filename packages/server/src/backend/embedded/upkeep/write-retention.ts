import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqliteRow } from '../database/statements.ts'
import type { Removal, RemovalSlice } from '../../upkeep.ts'
import { EVENT_NAMES_CURSOR } from '../../store/event-names.ts'
import { DELIVERIES_AT_TIME, eventRemoval, timePrefixOf } from '../events/write-archive.ts'

/** Limits of one slice. Every other write waits for it. */
const SLICE_EVENTS = 500
const SLICE_MS = 8
const SLICE_OTHERS = 500

/**
 * The last event that the consumer has acked and every follower has reached. The follower that counts
 * event names is ignored, because its delay must not fill the disk.
 */
const REACHED_BY_ALL = `SELECT MIN(seq) FROM (SELECT acked AS seq FROM log_position
  UNION ALL SELECT through FROM cursors WHERE name <> '${EVENT_NAMES_CURSOR}')`

/**
 * Removes the oldest events after `afterSeq`, up to `REACHED_BY_ALL`, except events with unfinished
 * deliveries.
 */
export function removeOldest(db: DatabaseSync): (slice: SliceInput) => SliceResult {
  const oldest = db.prepare(
    `SELECT seq, id, received_at FROM events
     WHERE seq > ? AND seq <= (${REACHED_BY_ALL}) ORDER BY seq LIMIT ?`,
  )
  const deliveriesAtTime = db.prepare(
    `SELECT id, event_id, is_waiting FROM deliveries WHERE ${DELIVERIES_AT_TIME}`,
  )
  const remove = eventRemoval(db)
  const removeOthers = otherRemoval(db)
  const used = db.prepare(USED_BYTES)

  const removeSlice = ({ before, afterSeq }: SliceInput): Removal => {
    const end = performance.now() + SLICE_MS
    if (before !== null && afterSeq === 0) removeOthers(before)
    const rows = oldest.all(afterSeq, SLICE_EVENTS)
    let removed = 0
    let hasOld = false
    const deliveriesOf = deliveryFinder(deliveriesAtTime)
    for (const { seq, id, received_at: receivedAt } of rows) {
      if (before !== null && Number(receivedAt) >= before) continue
      hasOld = true
      const deliveries = deliveriesOf(String(id))
      if (deliveries.every((row) => row['is_waiting'] === 0)) {
        const ids = deliveries.map((row) => String(row['id']))
        removed += remove(String(id), ids).events
      }
      if (performance.now() > end) return { removed, cursor: String(seq) }
    }
    // A recent event among old ones may have been stamped by a wrong clock. A slice with only
    // recent events marks the end.
    const isEnd = rows.length < SLICE_EVENTS || !hasOld
    return { removed, cursor: isEnd ? null : String(rows.at(-1)!['seq']) }
  }

  return (slice) => {
    const { forMs = 0, until = performance.now() + forMs, keepBytes } = slice
    const { removed, cursor } = removeSlice(slice)
    const all = (slice.removed ?? 0) + removed
    const isLast =
      cursor === null ||
      performance.now() >= until ||
      (keepBytes !== undefined && Number(used.get()!['bytes']) <= keepBytes)
    if (isLast) return { removed: all, cursor }
    const next = { ...slice, afterSeq: Number(cursor), until, removed: all }
    return { removed: all, cursor, next }
  }
}

/** Finds the deliveries of events. Deliveries of events with equal times are read together. */
function deliveryFinder(
  deliveriesAtTime: StatementSync,
): (eventId: string) => readonly SqliteRow[] {
  let moment = ''
  let deliveries = new Map<unknown, SqliteRow[]>()
  return (eventId) => {
    if (timePrefixOf(eventId) !== moment) {
      moment = timePrefixOf(eventId)
      deliveries = Map.groupBy(deliveriesAtTime.all(eventId), (row) => row['event_id'])
    }
    return deliveries.get(eventId) ?? []
  }
}

export const USED_BYTES = `SELECT (page_count - freelist_count) * page_size AS bytes
  FROM pragma_page_count, pragma_freelist_count, pragma_page_size`

/**
 * Prepares the removal of finished replays and of quarantine items whose event, delivery or notice
 * was removed.
 */
function otherRemoval(db: DatabaseSync): (before: number) => void {
  const some = (select: string): string => `IN (${select} LIMIT ${SLICE_OTHERS})`
  const removals = [
    `DELETE FROM replays WHERE id ${some('SELECT id FROM replays WHERE finished_at < ?')}`,
    `DELETE FROM quarantine WHERE id ${some(
      `SELECT id FROM quarantine WHERE at < ?
       AND NOT EXISTS (SELECT 1 FROM events WHERE events.id = quarantine.id)
       AND NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.id = quarantine.id)
       AND NOT EXISTS (SELECT 1 FROM notices WHERE notices.id = quarantine.id)`,
    )}`,
  ].map((sql) => db.prepare(sql))
  return (before) => {
    for (const removal of removals) removal.run(before)
  }
}

export interface SliceInput extends Pick<RemovalSlice, 'forMs' | 'keepBytes'> {
  readonly before: number | null
  readonly afterSeq: number
  /** No slice begins after this time, by the writer thread's clock. Absent in the first slice. */
  readonly until?: number
  readonly removed?: number
}

export interface SliceResult extends Removal {
  readonly next?: SliceInput
}

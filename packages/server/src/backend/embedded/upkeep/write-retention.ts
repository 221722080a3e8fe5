import type { DatabaseSync } from 'node:sqlite'
import type { Row } from '../database/statements.ts'
import type { Missing, Removal, RemovalSlice } from '../../upkeep.ts'
import { removedRowsCounter } from '../database/missing-rows.ts'
import { DELIVERIES_OF_MOMENT, eventRemoval, momentOf } from '../events/write-archive.ts'

/** Events that one slice looks at, and how long it may take. Every other write waits for it. */
const SLICE_EVENTS = 500
const SLICE_MS = 8
const SLICE_OTHERS = 500

/** The last event that the consumer has acked and everyone who follows the log has reached. */
const REACHED_BY_ALL =
  'SELECT MIN(seq) FROM (SELECT acked AS seq FROM log_position UNION ALL SELECT through FROM cursors)'

/**
 * Removes the oldest events after `afterSeq` that are acked, that every recorded cursor has reached, and that have no
 * waiting delivery, with everything that belongs to them.
 */
export function removeOldest(db: DatabaseSync): (slice: SliceInput) => Sliced {
  const oldest = db.prepare(
    `SELECT seq, id, received_at FROM events
     WHERE seq > ? AND seq <= (${REACHED_BY_ALL}) ORDER BY seq LIMIT ${SLICE_EVENTS}`,
  )
  const ofMoment = db.prepare(
    `SELECT id, event_id, is_waiting FROM deliveries WHERE ${DELIVERIES_OF_MOMENT}`,
  )
  const remove = eventRemoval(db)
  const notMissing = removedRowsCounter(db)
  const removeOthers = otherRemoval(db)
  const isLarger = sizeCheck(db)

  const removeSlice = ({ before, afterSeq }: SliceInput): Removal => {
    const start = performance.now()
    if (before !== null && afterSeq === 0) removeOthers(before)
    const { removed, cursor } = removeRows(before, oldest.all(afterSeq), start + SLICE_MS)
    notMissing(removed)
    return { removed: removed.length, cursor }
  }

  const removeRows = (before: number | null, rows: readonly Row[], end: number) => {
    const removed: Missing[] = []
    let seenOld = false
    let moment = ''
    let deliveries = new Map<string, DeliveriesOfEvent>()
    for (const { seq, id, received_at: receivedAt } of rows) {
      if (before !== null && Number(receivedAt) >= before) continue
      seenOld = true
      const eventId = String(id)
      if (momentOf(eventId) !== moment) {
        moment = momentOf(eventId)
        deliveries = byEvent(ofMoment.all(eventId))
      }
      const { ids, isWaiting } = deliveries.get(eventId) ?? NO_DELIVERIES
      if (!isWaiting) removed.push(remove(eventId, ids))
      if (performance.now() > end) return { removed, cursor: String(seq) }
    }
    // A single young event may come from a wrong clock; a whole slice of young events is the end.
    const isEnd = rows.length < SLICE_EVENTS || !seenOld
    return { removed, cursor: isEnd ? null : String(rows.at(-1)!['seq']) }
  }

  return (slice) => {
    const { forMs = 0, until = performance.now() + forMs, keepBytes } = slice
    const { removed, cursor } = removeSlice(slice)
    const all = (slice.removed ?? 0) + removed
    const isLast =
      cursor === null ||
      performance.now() >= until ||
      (keepBytes !== undefined && !isLarger(keepBytes))
    if (isLast) return { removed: all, cursor }
    const next = { ...slice, afterSeq: Number(cursor), until, removed: all }
    return { removed: all, cursor, next }
  }
}

/** Prepares the function that says whether the data has more bytes. */
function sizeCheck(db: DatabaseSync): (bytes: number) => boolean {
  const used = db.prepare(
    `SELECT (page_count - freelist_count) * page_size AS bytes
     FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
  )
  return (bytes) => Number(used.get()!['bytes']) > bytes
}

interface DeliveriesOfEvent {
  readonly ids: string[]
  isWaiting: boolean
}

const NO_DELIVERIES: DeliveriesOfEvent = { ids: [], isWaiting: false }

function byEvent(rows: readonly Row[]): Map<string, DeliveriesOfEvent> {
  const all = new Map<string, DeliveriesOfEvent>()
  for (const { id, event_id: eventId, is_waiting: isWaiting } of rows) {
    const found = all.get(String(eventId)) ?? { ids: [], isWaiting: false }
    all.set(String(eventId), found)
    found.ids.push(String(id))
    found.isWaiting ||= Number(isWaiting) !== 0
  }
  return all
}

/** Prepares the removal of finished replays, and of quarantine items whose event, delivery or notice is gone. */
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

/** The input of one slice of a removal. */
export interface SliceInput extends Pick<RemovalSlice, 'forMs' | 'keepBytes'> {
  readonly before: number | null
  readonly afterSeq: number
  /** When the last slice begins, by the clock of the writer's thread; absent in the first one. */
  readonly until?: number
  /** The number of events that earlier slices have removed. */
  readonly removed?: number
}

/** The result of a slice, with the removals of earlier slices. */
export interface Sliced extends Removal {
  /** The next slice, for the next transaction; absent after the last one. */
  readonly next?: SliceInput
}

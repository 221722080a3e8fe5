import type { DatabaseSync } from 'node:sqlite'
import {
  countPurged,
  type FoundEvent,
  type ProfilesPurge,
  type EventsToPurge,
} from '../../store/deletions.ts'
import { eventsOfOthers, forgetEvents } from '../../store/profiles/forget-events.ts'
import { removeIdentities, removeUsers } from '../../store/profiles/remove-identities.ts'
import { sql } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import { eventRemoval } from '../events/write-archive.ts'
import { firstSeqOf, SEGMENT, SEGMENT_EVENTS, segmentOf } from '../../store/event-order.ts'
import { ANONYMOUS_ID } from '../log/event-row.ts'

/** The duration of a slice. Every other write waits for it. */
const SLICE_MS = 5

export async function lastSeq(tx: Tx): Promise<number> {
  const [row] = await tx.all(
    sql<{ readonly seq: number }>`SELECT coalesce(max(seq), 0) AS seq FROM events`,
  )
  return row!.seq
}

export function purgeProfiles(tx: Tx, { subjects, sourceIds, at }: ProfilesPurge): Promise<number> {
  return forSlice(subjects, (subject) =>
    subject.kind === 'user'
      ? removeUsers(tx, { userIds: [subject.id], sourceIds, at })
      : removeIdentities(tx, { ids: [subject], sourceIds, at }),
  )
}

export function purgeEvents(
  db: DatabaseSync,
  { tx }: { readonly tx: Tx },
): (purge: { deletionId: string; events: readonly FoundEvent[]; at: number }) => Promise<number> {
  const remove = eventRemoval(db)
  return async ({ deletionId, events, at }) => {
    const purged = { events: 0, anonymousEvents: 0, deliveries: 0 }
    const removedEvents: FoundEvent[] = []
    const done = await forSlice(events, (event) => {
      const removed = remove(event.id)
      purged.events += removed.events
      purged.deliveries += removed.deliveries
      if (event.userId === null) purged.anonymousEvents += removed.events
      if (removed.events > 0) removedEvents.push(event)
      return true
    })
    await forgetEvents(tx, eventsOfOthers(removedEvents), at)
    await countPurged(tx, deletionId, purged)
    return done
  }
}

const READ_MS = 250
const MAX_FOUND = 1_000

/** The events found up to position `next`, which is `null` at the end. */
interface PurgeBatch {
  readonly events: readonly FoundEvent[]
  readonly next: number | null
}

/**
 * Finds the events after a position that a purge covers. For anonymousIds, it reads every event,
 * because an index would slow each append.
 */
export function findPurged(
  db: DatabaseSync,
): (search: EventsToPurge & { readonly after: number }) => PurgeBatch {
  // Two selects, because SQLite scans the table for MIN and MAX together.
  const bounds = db.prepare(
    'SELECT (SELECT MIN(seq) FROM events) AS first, (SELECT MAX(seq) FROM events) AS last',
  )
  const selectEvents = `SELECT seq AS position, id, source_id AS sourceId, user_id AS userId, type, origin IS NOT NULL AS isComputed FROM events
    WHERE seq > ?1 AND seq <= ?2 AND (seq <= ?4 OR origin IS NOT NULL)`
  const inSegment = `${SEGMENT} = CAST(?2 AS INTEGER) / ${SEGMENT_EVENTS}`
  const ids = '(SELECT value FROM json_each(?3))'
  const selects = {
    user: db.prepare(`${selectEvents} AND ${inSegment} AND user_id IN ${ids}
      UNION ${selectEvents} AND ${inSegment} AND previous_id IN ${ids} ORDER BY position`),
    anonymous: db.prepare(
      `${selectEvents} AND (previous_id IN ${ids} OR ${ANONYMOUS_ID} IN ${ids}) ORDER BY position`,
    ),
  }
  return ({ subjects, after, through, computedThrough }) => {
    const deadline = performance.now() + READ_MS
    const idsByKind = [...Map.groupBy(subjects, ({ kind }) => kind)].map(([kind, named]) => ({
      kind,
      json: JSON.stringify(named.map(({ id }) => id.toWellFormed())),
    }))
    const { first, last } = bounds.get()!
    const end = Math.min(Number(last ?? 0), Math.max(through, computedThrough))
    const events: FoundEvent[] = []
    let reached = Math.max(after, Number(first ?? 0) - 1)
    // At least one segment, even if the time is up.
    while (reached < end) {
      const next = Math.min(firstSeqOf(segmentOf(reached + 1) + 1) - 1, end)
      for (const { kind, json } of idsByKind)
        for (const row of selects[kind].iterate(reached, next, json, through))
          events.push({
            ...(row as unknown as FoundEvent),
            isComputed: row['isComputed'] === 1,
            foundBy: kind,
          })
      reached = next
      if (events.length >= MAX_FOUND || performance.now() >= deadline) break
    }
    return { events, next: reached < end ? reached : null }
  }
}

/** Handles items until the time is up or one is unfinished. Returns the number of finished ones. */
async function forSlice<T>(
  items: readonly T[],
  handle: (item: T) => Promise<boolean> | boolean,
): Promise<number> {
  const deadline = performance.now() + SLICE_MS
  for (const [done, item] of items.entries()) {
    if (done > 0 && performance.now() >= deadline) return done
    if (!(await handle(item))) return done
  }
  return items.length
}

import type { DatabaseSync } from 'node:sqlite'
import type { Purge } from '../../deletions.ts'
import {
  countPurged,
  type FoundEvent,
  type ProfilesPurge,
  type WantedEvents,
} from '../../store/deletions.ts'
import { eventsOfOthers, forgetEvents } from '../../store/profiles/forget-events.ts'
import { removeIdentities, removeUsers } from '../../store/profiles/remove-identities.ts'
import { sql } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import { removedRowsCounter } from '../database/missing-rows.ts'
import { eventRemoval } from '../events/write-archive.ts'
import type { EventType } from '@hookline/protocol'
import { firstSeqOf, SEGMENT, SEGMENT_EVENTS, segmentOf } from '../../store/event-order.ts'
import { ANONYMOUS_ID } from '../log/event-row.ts'

/** How long one write may take. Every other write waits for it. */
const SLICE_MS = 5

/** The seq of the last event. The writer performs every append either before this or after it. */
export async function lastSeq(tx: Tx): Promise<number> {
  const [row] = await tx.all(
    sql<{ readonly seq: number }>`SELECT coalesce(max(seq), 0) AS seq FROM events`,
  )
  return row!.seq
}

/** As `PurgeEngine.removeProfiles`. */
export function purgeProfiles(tx: Tx, { subjects, sourceIds, at }: ProfilesPurge): Promise<number> {
  return forSlice(subjects, (subject) =>
    subject.kind === 'user'
      ? removeUsers(tx, { userIds: [subject.id], sourceIds, at })
      : removeIdentities(tx, { ids: [subject], sourceIds, at }),
  )
}

interface EventsPurge extends Pick<Purge, 'deletionId'> {
  readonly events: readonly FoundEvent[]
  /** Now. */
  readonly at: number
}

/** As `PurgeEngine.removeEvents`. */
export function purgeEvents(
  db: DatabaseSync,
  { tx }: { readonly tx: Tx },
): (purge: EventsPurge) => Promise<number> {
  const remove = eventRemoval(db)
  const notMissing = removedRowsCounter(db)
  return async ({ deletionId, events, at }) => {
    const purged = { events: 0, anonymousEvents: 0, deliveries: 0 }
    const removedEvents: FoundEvent[] = []
    const done = await forSlice(events, (event) => {
      const removed = remove(event.id)
      notMissing([removed])
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

/** How long one read may take, and how many events it finds before it ends. */
const READ_MS = 250
const FOUND = 1_000

/** The events that were found up to the seq `next`; `null` at the end. */
interface PurgeFound {
  readonly events: readonly FoundEvent[]
  readonly next: number | null
}

/**
 * Finds the events that a purge removes, segment by segment, after the one with the seq `after`. Indexes find events by userId. For
 * anonymousIds it reads every event: an index would cost each append, and few deletions need it.
 */
export function findPurged(
  db: DatabaseSync,
): (search: WantedEvents & { readonly after: number }) => PurgeFound {
  // Two selects: SQLite finds one end of a table at once, but reads the whole table for MIN and MAX together.
  const bounds = db.prepare(
    'SELECT (SELECT MIN(seq) FROM events) AS first, (SELECT MAX(seq) FROM events) AS last',
  )
  const events = `SELECT seq, id, source_id, user_id, type, origin IS NOT NULL AS is_computed FROM events
    WHERE seq > ?1 AND seq <= ?2 AND (seq <= ?4 OR origin IS NOT NULL)`
  const inSegment = `${SEGMENT} = CAST(?2 AS INTEGER) / ${SEGMENT_EVENTS}`
  const ids = '(SELECT value FROM json_each(?3))'
  const selects = {
    user: db.prepare(`${events} AND ${inSegment} AND user_id IN ${ids}
      UNION ${events} AND ${inSegment} AND previous_id IN ${ids} ORDER BY seq`),
    anonymous: db.prepare(
      `${events} AND (previous_id IN ${ids} OR ${ANONYMOUS_ID} IN ${ids}) ORDER BY seq`,
    ),
  }
  return ({ subjects, after, through, computedThrough }) => {
    const deadline = performance.now() + READ_MS
    const wanted = [...Map.groupBy(subjects, ({ kind }) => kind)].map(([kind, named]) => ({
      kind,
      json: JSON.stringify(named.map(({ id }) => id.toWellFormed())),
    }))
    const { first, last } = bounds.get()!
    const end = Math.min(Number(last ?? 0), Math.max(through, computedThrough))
    const found: FoundEvent[] = []
    let reached = Math.max(after, Number(first ?? 0) - 1)
    // At least one segment, however long the machine has kept the thread waiting.
    while (reached < end) {
      const next = Math.min(firstSeqOf(segmentOf(reached + 1) + 1) - 1, end)
      for (const { kind, json } of wanted)
        for (const row of selects[kind].iterate(reached, next, json, through))
          found.push({
            id: String(row['id']),
            sourceId: String(row['source_id']),
            userId: row['user_id'] === null ? null : String(row['user_id']),
            isComputed: row['is_computed'] === 1,
            type: String(row['type']) as EventType,
            position: Number(row['seq']),
            foundBy: kind,
          })
      reached = next
      if (found.length >= FOUND || performance.now() >= deadline) break
    }
    return { events: found, next: reached < end ? reached : null }
  }
}

/** Handles items until the time is up, or one is not done. Returns the number of those that are. */
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

import type { EventType } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { FoundEvent, WantedEvents } from '../../store/deletions.ts'
import { firstSeqOf, SEGMENT, SEGMENT_EVENTS, segmentOf } from '../../store/event-order.ts'
import { ANONYMOUS_ID } from '../log/event-row.ts'

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

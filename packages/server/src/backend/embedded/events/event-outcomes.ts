import type { EventOutcome } from '@hookline/protocol'
import type { Row } from '../database/rows.ts'
import type { Statements } from '../database/statements.ts'

/** The outcome of a row of `deliveries`. */
const OUTCOME = `CASE
  WHEN state = 'pending' AND rounds > 0 THEN 'retrying'
  WHEN state IN ('rejected', 'expired', 'quarantined') THEN 'failed'
  ELSE state END`

/** How many characters of an id are its prefix, and how many its time. */
const [PREFIX, TIME] = [4, 10]

/** The condition that a row of `events` has an outcome, which is its only value. */
export function hasOutcome(outcome: EventOutcome): string {
  if (outcome === 'declined')
    return `? = 'declined' AND EXISTS (SELECT 1 FROM declined WHERE event_id = events.id)`
  // The id of a delivery begins with the time in the id of its event, so that no index by event is needed.
  const time = `'msg_' || substr(events.id, ${PREFIX + 1}, ${TIME})`
  return `? IN (SELECT ${OUTCOME} FROM deliveries
    WHERE id >= ${time} AND id < ${time} || '~' AND event_id = events.id)`
}

/** The outcomes of events by the ids of the events, those that are declined excepted. */
export function outcomesOf(
  statements: Statements,
  eventIds: readonly string[],
): ReadonlyMap<string, readonly Row[]> {
  const times = new Set(eventIds.map((id) => id.slice(PREFIX, PREFIX + TIME)))
  const rows = [...times].flatMap((time) =>
    statements.all(
      `SELECT event_id, ${OUTCOME} AS outcome, COUNT(*) AS destinations FROM deliveries
       WHERE id >= ? AND id < ? GROUP BY 1, 2`,
      [`msg_${time}`, `msg_${time}~`],
    ),
  )
  return Map.groupBy(rows, (row) => String(row['event_id']))
}

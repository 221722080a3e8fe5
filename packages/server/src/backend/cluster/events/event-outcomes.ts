import { type EventOutcome, type EventOutcomes, idFrom, timeOfId } from '@hookline/protocol'
import { sql } from 'kysely'
import type { Connection } from '../postgres/postgres.ts'
import { fromText } from '../postgres/text.ts'

interface OutcomeRow {
  readonly event_id: string
  readonly destination_id: string
  readonly outcome: EventOutcome
}

const ZEROS = new Uint8Array(10)

/** What became of events at their destinations, by the ids of the events. */
export async function outcomesOf(
  db: Connection,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, EventOutcomes>> {
  if (eventIds.length === 0) return new Map()
  const byEvent = Map.groupBy(await outcomeRows(db, eventIds), ({ event_id: id }) => id)
  return new Map([...byEvent].map(([id, rows]) => [id, counted(rows)]))
}

/** The destinations that events were decided on for, by the ids of the events. Those without a decision are absent. */
export async function destinationsOf(
  db: Connection,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (eventIds.length === 0) return new Map()
  const byEvent = Map.groupBy(await outcomeRows(db, eventIds), ({ event_id: id }) => id)
  const destinations = (rows: readonly OutcomeRow[]): ReadonlySet<string> =>
    new Set(rows.map(({ destination_id: id }) => fromText(id)))
  return new Map([...byEvent].map(([id, rows]) => [id, destinations(rows)]))
}

/**
 * The id of a delivery has the time of its event, so few partitions are looked at. What is
 * declined comes first: a replay may have made a delivery later.
 */
async function outcomeRows(
  db: Connection,
  eventIds: readonly string[],
): Promise<readonly OutcomeRow[]> {
  const times = eventIds.map(timeOfId)
  const sorted = eventIds.toSorted()
  const { rows } = await sql<OutcomeRow>`
    SELECT event_id, destination_id, 'declined' AS outcome FROM declined
    WHERE event_id = ANY(${eventIds}::text[]) AND event_id BETWEEN ${sorted[0]} AND ${sorted.at(-1)}
    UNION ALL
    SELECT event_id, destination_id, CASE
      WHEN state = 'pending' AND rounds > 0 THEN 'retrying'
      WHEN state IN ('rejected', 'expired', 'quarantined') THEN 'failed'
      ELSE state END
    FROM deliveries
    WHERE event_id = ANY(${eventIds}::text[])
      AND id >= ${idFrom('msg', Math.min(...times), ZEROS)} AND id < ${idFrom('msg', Math.max(...times) + 1, ZEROS)}
    `.execute(db)
  return rows
}

function counted(rows: readonly OutcomeRow[]): EventOutcomes {
  const byDestination = new Map<string, EventOutcome>()
  for (const { destination_id: id, outcome } of rows) byDestination.set(fromText(id), outcome)
  const counts: Partial<Record<EventOutcome, number>> = {}
  for (const outcome of byDestination.values()) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

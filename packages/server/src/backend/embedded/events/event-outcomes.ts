import { type EventOutcome, type EventOutcomes, timeOfId } from '@hookline/protocol'
import type { Statements } from '../database/statements.ts'
import { deliveryIdsIn } from '../deliveries/delivery-conditions.ts'

const DELIVERIES = `
  SELECT event_id, destination_id, CASE
    WHEN state = 'pending' AND rounds > 0 THEN 'retrying'
    WHEN state IN ('rejected', 'expired', 'quarantined') THEN 'failed'
    ELSE state END AS outcome
  FROM deliveries WHERE id >= ? AND id < ?`

const DECLINED_BY = 'SELECT destination_id FROM declined WHERE event_id = ?'

/** What became of events at their destinations, by the ids of the events. */
export function outcomesOf(
  statements: Statements,
  eventIds: readonly string[],
): ReadonlyMap<string, EventOutcomes> {
  const byEvent = new Map<string, Map<string, EventOutcome>>(eventIds.map((id) => [id, new Map()]))
  // Those of one millisecond lie side by side: a batch of thousands is looked up at once.
  for (const time of new Set(eventIds.map(timeOfId)))
    for (const row of statements.all(DELIVERIES, deliveryIdsIn({ from: time, to: time + 1 })))
      byEvent
        .get(String(row['event_id']))
        ?.set(String(row['destination_id']), row['outcome'] as EventOutcome)
  for (const [id, outcomes] of byEvent)
    for (const row of statements.all(DECLINED_BY, [id])) {
      const destinationId = String(row['destination_id'])
      // A replay may have made a delivery later.
      if (!outcomes.has(destinationId)) outcomes.set(destinationId, 'declined')
    }
  return new Map([...byEvent].map(([id, outcomes]) => [id, counted([...outcomes.values()])]))
}

function counted(outcomes: readonly EventOutcome[]): EventOutcomes {
  const counts: Partial<Record<EventOutcome, number>> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

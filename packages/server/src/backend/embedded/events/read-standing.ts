import { timeOfId } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import { Statements } from '../database/statements.ts'
import { deliveryIdsIn } from '../deliveries/delivery-conditions.ts'

/** The ids of destinations, by the id of an event. */
type Standing = ReadonlyMap<string, ReadonlySet<string>>

// SQLite leaves out the others: a batch of thousands of events has one time, and each slice of it asks for a few of them.
const DELIVERIES =
  'SELECT event_id, destination_id FROM deliveries WHERE id >= ? AND id < ? AND event_id IN (SELECT value FROM json_each(?))'
const DECLINED = 'SELECT event_id, destination_id FROM declined WHERE event_id = ?'

/** Prepares `Events.standingOf`. */
export function findStanding(db: DatabaseSync): (eventIds: readonly string[]) => Standing {
  const statements = new Statements(db)
  return (eventIds) => statements.together(() => standingOf(statements, eventIds))
}

function standingOf(statements: Statements, eventIds: readonly string[]): Standing {
  const asked = JSON.stringify(eventIds)
  const standing = new Map<string, Set<string>>()
  const add = (sql: string, values: readonly string[]): void => {
    for (const row of statements.all(sql, values)) {
      const eventId = String(row['event_id'])
      const decided = standing.get(eventId) ?? new Set()
      standing.set(eventId, decided.add(String(row['destination_id'])))
    }
  }
  // Deliveries of one millisecond lie side by side: those of a batch are found at once.
  for (const time of new Set(eventIds.map(timeOfId)))
    add(DELIVERIES, [...deliveryIdsIn({ from: time, to: time + 1 }), asked])
  for (const id of new Set(eventIds)) add(DECLINED, [id])
  return standing
}

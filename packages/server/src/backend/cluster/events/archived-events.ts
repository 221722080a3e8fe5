import type { AcceptedEvent } from '@hookline/protocol'
import { sql } from 'kysely'
import { parsed } from '../../accepted-event.ts'
import type { ArchivedEvent, Declined } from '../../events.ts'
import { EVENT_COLUMNS, eventOf, type EventRow } from '../postgres/event-rows.ts'
import type { Connection } from '../postgres/postgres.ts'
import { fromText } from '../postgres/text.ts'

interface ArchivedRow extends EventRow {
  readonly duplicates: number
  readonly last_duplicate_at: number | null
}

interface DeclinedRow {
  readonly event_id: string
  readonly destination_id: string
  readonly reason: string
  readonly since: number | null
}

/** The archived events of these ids, by id. Damaged ones are left out: they are not sent either. */
export async function archivedEvents(
  db: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ArchivedEvent>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<ArchivedRow>`
    SELECT ${EVENT_COLUMNS}, duplicates, last_duplicate_at FROM events
    WHERE id = ANY(${ids}::text[])`.execute(db)
  const { rows: declined } = await sql<DeclinedRow>`
    SELECT event_id, destination_id, reason, since FROM declined
    WHERE event_id = ANY(${ids}::text[]) ORDER BY event_id, destination_id`.execute(db)
  const declinedById = Map.groupBy(declined, ({ event_id: id }) => id)
  const found = new Map<string, ArchivedEvent>()
  for (const row of rows) {
    const event = readableEventOf(row)
    if (event === undefined) continue
    found.set(row.id, {
      ...event,
      declined: (declinedById.get(row.id) ?? []).map(declinedOf),
      duplicates: row.duplicates,
      lastDuplicateAt: row.last_duplicate_at,
    })
  }
  return found
}

/** The event, parsed; `undefined` if it is damaged. */
function readableEventOf(row: EventRow): AcceptedEvent | undefined {
  try {
    return parsed(eventOf(row))
  } catch {
    return undefined
  }
}

function declinedOf({ destination_id: id, reason, since }: DeclinedRow): Declined {
  const decision = { destinationId: fromText(id), reason: reason as Declined['reason'] }
  return since === null ? decision : { ...decision, since }
}

import type { DatabaseSync } from 'node:sqlite'
import type { QuarantineItem } from '../../quarantine.ts'
import type { StoredParts } from '../../store/stored-parts.ts'

/** A delivery that may have no row yet. */
type QuarantinedRow = readonly [
  id: string,
  eventId: string,
  destinationId: string,
  rounds: number,
  firstDueAt: number,
  webhooks: string,
]

interface QuarantineRows {
  readonly items: readonly (readonly [id: string, reason: string, at: number])[]
  readonly deliveries: readonly QuarantinedRow[]
}

export function quarantineRowsOf(
  items: readonly QuarantineItem[],
  parts: StoredParts,
): QuarantineRows {
  return {
    items: items.map(({ id, reason, at }) => [id, reason, at]),
    deliveries: items.flatMap(({ delivery }) => {
      if (delivery === undefined) return []
      const { id, eventId, destinationId, rounds, firstDueAt } = delivery
      return [[id, eventId, destinationId, rounds, firstDueAt, parts.textOf(delivery)] as const]
    }),
  }
}

export function quarantineDeliveries(db: DatabaseSync): (rows: QuarantineRows) => void {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO deliveries (id, event_id, destination_id, state, rounds, first_due_at, webhooks)
     VALUES (?, ?, ?, 'quarantined', ?, ?, ?)`,
  )
  const mark = db.prepare(
    `UPDATE deliveries SET state = 'quarantined', due_at = NULL, is_waiting = 0
     WHERE id = ? AND (state IN ('pending', 'held') OR is_waiting)`,
  )
  // A damaged row may not be known as one that waits.
  const endWaiting = db.prepare('DELETE FROM waiting_parts WHERE delivery_id = ?')
  const keep = db.prepare('INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?)')
  return ({ items, deliveries }) => {
    for (const row of deliveries) insert.run(...row)
    for (const [id, reason, at] of items) {
      mark.run(id)
      endWaiting.run(id)
      keep.run(id, reason, at)
    }
  }
}

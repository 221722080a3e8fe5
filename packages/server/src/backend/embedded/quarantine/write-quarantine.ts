import type { DatabaseSync } from 'node:sqlite'
import type { QuarantineItem } from '../../quarantine.ts'

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

export function quarantineRowsOf(items: readonly QuarantineItem[]): QuarantineRows {
  return {
    items: items.map(({ id, reason, at }) => [id, reason, at]),
    deliveries: items.flatMap(({ delivery }) => {
      if (delivery === undefined) return []
      const { id, eventId, destinationId, rounds, firstDueAt, webhooks } = delivery
      return [[id, eventId, destinationId, rounds, firstDueAt, JSON.stringify(webhooks)] as const]
    }),
  }
}

export function quarantineDeliveries(db: DatabaseSync): (rows: QuarantineRows) => void {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO deliveries (id, event_id, destination_id, state, rounds, first_due_at, webhooks)
     VALUES (?, ?, ?, 'quarantined', ?, ?, ?)`,
  )
  const mark = db.prepare(
    `UPDATE deliveries SET state = 'quarantined', due_at = NULL
     WHERE id = ? AND state IN ('pending', 'held')`,
  )
  const keep = db.prepare('INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?)')
  return ({ items, deliveries }) => {
    for (const row of deliveries) insert.run(...row)
    for (const [id, reason, at] of items) {
      mark.run(id)
      keep.run(id, reason, at)
    }
  }
}

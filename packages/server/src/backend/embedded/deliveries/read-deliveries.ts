import type { DatabaseSync } from 'node:sqlite'
import type { DeliveryFilter } from '../../deliveries.ts'
import type { Page, PageRequest } from '../../page.ts'
import { MOST_CHUNKS, SCAN_CHUNK, scan } from '../database/bounded-scan.ts'
import { pageOf, type Row } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import { deliveryConditions, deliveryIdsIn } from './delivery-conditions.ts'
import { failedAttempts } from './delivery-rows.ts'

export const DELIVERY_COLUMNS =
  'deliveries.id AS id, event_id, destination_id, state, rounds, first_due_at, due_at, webhooks, replay_id'

/** The rows of one delivery and its history. */
export interface HistoryRows {
  readonly delivery: Row
  readonly attempts: readonly Row[]
  readonly quarantine: Row | undefined
}

interface Wanted {
  readonly filter: DeliveryFilter
  readonly page: PageRequest
}

export function findDelivery(db: DatabaseSync): (id: string) => HistoryRows | undefined {
  const statements = new Statements(db)
  return (id) => {
    const sql = `SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE id = ?`
    const [row] = statements.all(sql, [id])
    return row && historyRows(statements, row)
  }
}

/** Lists deliveries, newest first. A page looks through a bounded part of the table (`bounded-scan.ts`). */
export function listDeliveries(db: DatabaseSync): (wanted: Wanted) => Page<HistoryRows> {
  const statements = new Statements(db)
  return ({ filter, page: { limit, cursor } }) => {
    const { where, values } = deliveryConditions(filter)
    const [least, beyond] = deliveryIdsIn(filter)
    const { rows, next } = scan<Row, string>(
      cursor ?? beyond,
      { limit: limit + 1, steps: MOST_CHUNKS },
      (before, most) => {
        // The deliveries of one event are few, and the pipeline needs all of them at once.
        const from = filter.eventId === undefined ? chunkBefore(statements, before, least) : null
        const found = statements.all(
          `SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE id >= ? AND id < ? ${where}
         ORDER BY id DESC LIMIT ?`,
          [from ?? least, before, ...values, most],
        )
        return { rows: found, next: from }
      },
    )
    const { data, nextCursor } = pageOf(rows, { limit, key: 'id' }, (row) =>
      historyRows(statements, row),
    )
    return { data, nextCursor: nextCursor ?? next }
  }
}

/** The first id of the chunk of rows before an id; `null` where the rows that are left fit into one chunk. */
function chunkBefore(statements: Statements, before: string, least: string): string | null {
  const [row] = statements.all(
    `SELECT id FROM deliveries WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ${SCAN_CHUNK}`,
    [least, before],
  )
  return row === undefined ? null : String(row['id'])
}

function historyRows(statements: Statements, delivery: Row): HistoryRows {
  const id = String(delivery['id'])
  const [quarantine] =
    delivery['state'] === 'quarantined'
      ? statements.all('SELECT reason, at FROM quarantine WHERE id = ?', [id])
      : []
  return { delivery, attempts: failedAttempts(statements, id), quarantine }
}

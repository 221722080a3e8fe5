import type { Delivery } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type {
  ClaimedDelivery,
  Deliveries,
  DeliveryFilter,
  DeliveryHistory,
} from '../../deliveries.ts'
import type { Page, PageRequest } from '../../page.ts'
import type { Unreadable } from '../../quarantine.ts'
import { SCAN_CHUNK, scan } from '../database/bounded-scan.ts'
import { pageOf, type Row } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import { acceptedEventOf } from '../log/event-row.ts'
import type { Writer } from '../writer.ts'
import { deliveryConditions, deliveryIdsIn } from './delivery-conditions.ts'
import { attemptsOf, deliveryOf } from './delivery-rows.ts'
import type { LaneNumbers } from './lane-numbers.ts'
import { type QueueTable, SqliteDeliveryQueue } from './sqlite-delivery-queue.ts'
import type { StoredParts } from './stored-parts.ts'
import { deliveryRowOf } from './write-deliveries.ts'

const DELIVERY_COLUMNS =
  'deliveries.id AS id, event_id, destination_id, state, rounds, first_due_at, due_at, webhooks, replay_id'

const TABLE: QueueTable<ClaimedDelivery['event']> = {
  name: 'deliveries',
  unsplitLane: 0,
  select: `SELECT ${DELIVERY_COLUMNS}, source_id, marks, origin, body
    FROM deliveries LEFT JOIN events ON events.id = deliveries.event_id`,
  claimedOf,
  rowOf: deliveryRowOf,
  record: 'recordDeliveries',
}

/** The queue and the history of deliveries, on the tables `deliveries` and `attempts`. */
export class SqliteDeliveries extends SqliteDeliveryQueue implements Deliveries {
  readonly #statements: Statements

  constructor(lanes: LaneNumbers, writer: Writer, reader: DatabaseSync) {
    super(TABLE, lanes, writer, reader)
    this.#statements = new Statements(reader)
  }

  async find(id: string): Promise<DeliveryHistory | undefined> {
    const [row] = this.#statements.all(`SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE id = ?`, [
      id,
    ])
    return row && this.#historyOf(row)
  }

  async list(filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliveryHistory>> {
    const { where, values } = deliveryConditions(filter)
    const [least, beyond] = deliveryIdsIn(filter)
    const { rows, next } = await scan<Row, string>(
      page.cursor ?? beyond,
      page.limit + 1,
      (before, limit) => {
        const from = this.#chunkBefore(before, least)
        const found = this.#statements.all(
          `SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE id >= ? AND id < ? ${where}
           ORDER BY id DESC LIMIT ?`,
          [from ?? least, before, ...values, limit],
        )
        return { rows: found, next: from }
      },
    )
    const { data, nextCursor } = pageOf(rows, { limit: page.limit, key: 'id' }, (row) =>
      this.#historyOf(row),
    )
    return { data, nextCursor: nextCursor ?? next }
  }

  /** The first id of the chunk of rows before an id; `null` where the rows that are left fit into one chunk. */
  #chunkBefore(before: string, least: string): string | null {
    const [row] = this.#statements.all(
      `SELECT id FROM deliveries WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ${SCAN_CHUNK}`,
      [least, before],
    )
    return row === undefined ? null : String(row['id'])
  }

  #historyOf(row: Row): DeliveryHistory {
    // A damaged part is left out: the rest of the history is still worth showing.
    const delivery = deliveryOf(row, this.parts.partsIn(row['webhooks']) ?? [])
    const attempts = attemptsOf(this.#statements, this.parts, delivery)
    return { ...delivery, attempts, ...this.#quarantineOf(delivery) }
  }

  #quarantineOf({ id, state }: Delivery): Pick<DeliveryHistory, 'quarantine'> {
    if (state !== 'quarantined') return {}
    const [row] = this.#statements.all('SELECT reason, at FROM quarantine WHERE id = ?', [id])
    return row ? { quarantine: { reason: String(row['reason']), at: Number(row['at']) } } : {}
  }
}

function claimedOf(row: Row, parts: StoredParts): ClaimedDelivery | Unreadable {
  const id = String(row['id'])
  if (row['body'] === null) return { id, reason: 'Its event is no longer in the archive.' }
  const webhooks = parts.partsIn(row['webhooks'])
  if (!webhooks) return { id, reason: 'Its progress in the database is not readable as JSON.' }
  try {
    const event = acceptedEventOf({ ...row, id: row['event_id']! })
    return { delivery: deliveryOf(row, webhooks), event }
  } catch {
    return { id, reason: 'Its event in the database is not readable as JSON.' }
  }
}

import type { DatabaseSync } from 'node:sqlite'
import type {
  ClaimedDelivery,
  Deliveries,
  DeliveryFilter,
  DeliveryHistory,
} from '../../deliveries.ts'
import type { Page, PageRequest } from '../../page.ts'
import type { Unreadable } from '../../quarantine.ts'
import { type Row, timeOf } from '../database/rows.ts'
import { acceptedEventOf, EVENT_FIELDS } from '../log/event-row.ts'
import type { Readers } from '../readers.ts'
import type { Writer } from '../writer.ts'
import { attemptsOf, deliveryOf, hasReadableTimes } from './delivery-rows.ts'
import type { StoredLanes } from './stored-lanes.ts'
import {
  DELIVERY_COLUMNS,
  findDelivery,
  type HistoryRows,
  listDeliveries,
} from './read-deliveries.ts'
import { type QueueTable, SqliteDeliveryQueue } from './sqlite-delivery-queue.ts'
import type { StoredParts } from './stored-parts.ts'
import { deliveryRowOf } from './write-deliveries.ts'

const TABLE: QueueTable<ClaimedDelivery['event']> = {
  name: 'deliveries',
  unsplitLane: 0,
  select: `SELECT ${DELIVERY_COLUMNS}, ${EVENT_FIELDS}
    FROM deliveries LEFT JOIN events ON events.id = deliveries.event_id`,
  claimedOf,
  rowOf: deliveryRowOf,
  record: 'recordDeliveries',
}

/** The queue and the history of deliveries, on the tables `deliveries` and `attempts`. */
export class SqliteDeliveries extends SqliteDeliveryQueue implements Deliveries {
  readonly #readers: Readers
  readonly #find: ReturnType<typeof findDelivery>
  readonly #list: ReturnType<typeof listDeliveries>

  constructor(lanes: StoredLanes, writer: Writer, reader: DatabaseSync, readers: Readers) {
    super(TABLE, lanes, writer, reader)
    this.#readers = readers
    this.#find = findDelivery(reader)
    this.#list = listDeliveries(reader)
  }

  async find(id: string): Promise<DeliveryHistory | undefined> {
    const found = this.#find(id)
    return found && this.#historyOf(found)
  }

  async list(filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliveryHistory>> {
    // The deliveries of one event are a look-up. The pipeline makes it, and waits for no other read.
    const { data, nextCursor } =
      filter.eventId === undefined
        ? await this.#readers.run('listDeliveries', { filter, page })
        : this.#list({ filter, page })
    return { data: data.map((rows) => this.#historyOf(rows)), nextCursor }
  }

  #historyOf({ delivery: row, attempts, quarantine }: HistoryRows): DeliveryHistory {
    // A damaged part is left out: the rest of the history is still worth showing.
    const delivery = deliveryOf(row, this.parts.partsIn(row['webhooks']) ?? [])
    return {
      ...delivery,
      attempts: attemptsOf(attempts, this.parts, delivery),
      ...(quarantine && {
        quarantine: { reason: String(quarantine['reason']), at: timeOf(quarantine['at']) },
      }),
    }
  }
}

function claimedOf(row: Row, parts: StoredParts): ClaimedDelivery | Unreadable {
  const id = String(row['id'])
  if (row['body'] === null) return { id, reason: 'Its event is no longer in the archive.' }
  if (!hasReadableTimes(row)) return { id, reason: 'Its times in the database are damaged.' }
  const webhooks = parts.partsIn(row['webhooks'])
  if (!webhooks) return { id, reason: 'Its progress in the database is not readable as JSON.' }
  try {
    const event = acceptedEventOf({ ...row, id: row['event_id']! })
    return { delivery: deliveryOf(row, webhooks), event }
  } catch {
    return { id, reason: 'Its event in the database is damaged.' }
  }
}

import type { Delivery, DeliveryContent } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { ClaimedDelivery } from '../../deliveries.ts'
import type { UnreadableRecord } from '../../quarantine.ts'
import {
  DELIVERY_COLUMNS,
  deliveryOf,
  type DeliveryRow,
  storedDeliveries,
} from '../../store/deliveries.ts'
import { eventOfRow } from '../../store/event-rows.ts'
import { isTime } from '../../store/rows.ts'
import type { Store } from '../../store/store.ts'
import type { StoredParts } from '../../store/stored-parts.ts'
import type { SqliteRow } from '../database/statements.ts'
import { EVENT_FIELDS } from '../log/event-row.ts'
import type { Writer } from '../writer.ts'
import { type QueueTable, SqliteDeliveryQueue } from './sqlite-delivery-queue.ts'
import type { StoredLanes } from './stored-lanes.ts'
import { deliveryRowOf, noticeRowOf } from './write-deliveries.ts'
import type { NoticeQueue } from '../../notices.ts'
import {
  claimedNotice,
  noticeQueueOf,
  type NoticeRow,
  SELECT_NOTICES,
} from '../../store/notices.ts'

const DELIVERIES: QueueTable<ClaimedDelivery['event']> = {
  name: 'deliveries',
  select: `SELECT ${DELIVERY_COLUMNS}, ${EVENT_FIELDS}
    FROM deliveries LEFT JOIN events ON events.id = deliveries.event_id`,
  claimedOf,
  rowOf: deliveryRowOf,
  record: 'recordDeliveries',
}

export function sqliteDeliveries(
  lanes: StoredLanes,
  writer: Writer,
  reader: DatabaseSync,
  store: Store,
) {
  const queue = new SqliteDeliveryQueue(DELIVERIES, lanes, writer, reader)
  return Object.assign(queue, storedDeliveries(store, queue.parts), {
    webhooksOf: async (deliveries: readonly Delivery[]) =>
      deliveries.map((delivery) => queue.parts.textOf(delivery)),
  })
}

const NOTICES: QueueTable<DeliveryContent> = {
  name: 'notices',
  select: SELECT_NOTICES,
  claimedOf: (row, parts) =>
    claimedNotice(row as unknown as NoticeRow, parts.partsIn(row['webhooks'])),
  rowOf: noticeRowOf,
  record: 'recordNotices',
}

export function sqliteNoticeQueue(
  store: Store,
  lanes: StoredLanes,
  writer: Writer,
  reader: DatabaseSync,
): SqliteDeliveryQueue<DeliveryContent> & NoticeQueue {
  return noticeQueueOf(store, new SqliteDeliveryQueue(NOTICES, lanes, writer, reader))
}

function claimedOf(row: SqliteRow, parts: StoredParts): ClaimedDelivery | UnreadableRecord {
  const id = String(row['delivery_id'])
  if (row['body'] === null) return { id, reason: 'The event was not found in the archive.' }
  if (![row['first_due_at'], row['due_at'] ?? 0].every(isTime))
    return { id, reason: 'The timestamps in the database are corrupted.' }
  const webhooks = parts.partsIn(row['webhooks'])
  if (!webhooks) return { id, reason: 'The stored state is not valid JSON.' }
  try {
    const event = eventOfRow({ ...row, id: row['event_id']! })
    return { delivery: deliveryOf(row as unknown as DeliveryRow, webhooks), event }
  } catch {
    return { id, reason: 'The event in the database is corrupted.' }
  }
}

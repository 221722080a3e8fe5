import type { Carried } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { NoticeQueue } from '../../notices.ts'
import {
  claimedNotice,
  noticeQueueOf,
  type NoticeRow,
  SELECT_NOTICES,
} from '../../store/notices.ts'
import type { Store } from '../../store/store.ts'
import type { Writer } from '../writer.ts'
import { type QueueTable, SqliteDeliveryQueue } from './sqlite-delivery-queue.ts'
import type { StoredLanes } from './stored-lanes.ts'
import { noticeRowOf } from './write-deliveries.ts'

const TABLE: QueueTable<Carried> = {
  name: 'notices',
  select: SELECT_NOTICES,
  claimedOf: (row, parts) =>
    claimedNotice(row as unknown as NoticeRow, parts.partsIn(row['webhooks'])),
  rowOf: noticeRowOf,
  record: 'recordNotices',
}

/** The queue of notices, on the tables `notices` and `attempts`. */
export function sqliteNoticeQueue(
  store: Store,
  lanes: StoredLanes,
  writer: Writer,
  reader: DatabaseSync,
): SqliteDeliveryQueue<Carried> & NoticeQueue {
  return noticeQueueOf(store, new SqliteDeliveryQueue(TABLE, lanes, writer, reader))
}

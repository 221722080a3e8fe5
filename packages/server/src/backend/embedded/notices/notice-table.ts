import { type Carried, formatTimestamp } from '@hookline/protocol'
import type { ClaimedDelivery } from '../../deliveries.ts'
import type { Unreadable } from '../../quarantine.ts'
import type { Row } from '../database/rows.ts'
import { deliveryOf, webhooksOf } from '../deliveries/delivery-rows.ts'
import type { QueueTable } from '../deliveries/sqlite-delivery-queue.ts'
import { noticeRowOf } from './write-notices.ts'

/** Rows of `notices` as `deliveryOf` reads them: a notice has its deletion where a delivery has its event. */
export const SELECT_NOTICES = 'SELECT *, deletion_id AS event_id FROM notices'

/** The table `notices` as a queue. */
export const NOTICE_TABLE: QueueTable<Carried> = {
  name: 'notices',
  select: SELECT_NOTICES,
  claimedOf,
  rowOf: noticeRowOf,
  operations: { record: 'recordNotices', unhold: 'unholdNotices' },
}

function claimedOf(row: Row): ClaimedDelivery<Carried> | Unreadable {
  const webhooks = webhooksOf(row)
  return webhooks
    ? { delivery: deliveryOf(row, webhooks), event: noticeOf(row) }
    : { id: String(row['id']), reason: 'Its progress in the database is not readable as JSON.' }
}

/** What a notice carries in place of an event. */
function noticeOf(row: Row): Carried {
  const timestamp = formatTimestamp(Number(row['created_at']))
  const userId = String(row['user_id'])
  return {
    id: String(row['deletion_id']),
    sourceId: String(row['source_id']),
    event: { type: 'delete', userId, timestamp, receivedAt: timestamp },
  }
}

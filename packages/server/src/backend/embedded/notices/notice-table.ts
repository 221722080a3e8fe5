import { type Carried, deletionPayload, formatTimestamp } from '@hookline/protocol'
import type { Subject } from '../../deletions.ts'
import type { ClaimedDelivery } from '../../deliveries.ts'
import type { Unreadable } from '../../quarantine.ts'
import { isTime, type Row } from '../database/rows.ts'
import { deliveryOf, hasReadableTimes } from '../deliveries/delivery-rows.ts'
import type { QueueTable } from '../deliveries/sqlite-delivery-queue.ts'
import type { StoredParts } from '../deliveries/stored-parts.ts'
import { noticeRowOf } from './write-notices.ts'

/** Rows of `notices` as `deliveryOf` reads them: a notice has its deletion where a delivery has its event. */
export const SELECT_NOTICES = 'SELECT *, deletion_id AS event_id FROM notices'

/** The table `notices` as a queue. */
export const NOTICE_TABLE: QueueTable<Carried> = {
  name: 'notices',
  unsplitLane: -1,
  select: SELECT_NOTICES,
  claimedOf,
  rowOf: noticeRowOf,
  record: 'recordNotices',
}

function claimedOf(row: Row, parts: StoredParts): ClaimedDelivery<Carried> | Unreadable {
  const id = String(row['id'])
  if (!hasReadableTimes(row) || !isTime(row['created_at']))
    return { id, reason: 'Its times in the database are damaged.' }
  const webhooks = parts.partsIn(row['webhooks'])
  if (!webhooks) return { id, reason: 'Its progress in the database is not readable as JSON.' }
  return { delivery: deliveryOf(row, webhooks), event: noticeOf(row) }
}

/** Whom the notice of a row is about. */
export function subjectOf(row: Row): Subject {
  return { kind: row['kind'] as Subject['kind'], id: String(row['user_id']) }
}

/** What a notice carries in place of an event. */
function noticeOf(row: Row): Carried {
  const receivedAt = Number(row['created_at'])
  const { kind, id } = subjectOf(row)
  const [userId, anonymousId] = kind === 'user' ? [id] : [undefined, id]
  const timestamp = formatTimestamp(receivedAt)
  return {
    id: String(row['deletion_id']),
    sourceId: String(row['source_id']),
    type: 'delete',
    userId,
    anonymousId,
    previousId: undefined,
    receivedAt,
    body: Buffer.from(deletionPayload({ userId, anonymousId, timestamp })),
  }
}

import { type Carried, deletionPayload, formatTimestamp } from '@hookline/protocol'
import { sql } from 'kysely'
import type { Subject } from '../../deletions.ts'
import type { ClaimedDelivery } from '../../deliveries.ts'
import type { Unreadable } from '../../quarantine.ts'
import { type DeliveryRow, deliveryOf } from '../deliveries/rows/delivery-rows.ts'
import type { QueueTable } from '../deliveries/queue/queue-table.ts'
import type { StoredParts } from '../deliveries/rows/stored-parts.ts'
import { fromText } from '../postgres/text.ts'
import { writeNotices } from './write-notices.ts'

/** A row of `notices` as `deliveryOf` reads it: a notice has its deletion where a delivery has its event. */
export interface NoticeRow extends DeliveryRow {
  readonly source_id: string
  readonly kind: Subject['kind']
  readonly user_id: string
  readonly created_at: number
}

export const SELECT_NOTICES = sql<NoticeRow>`
  SELECT id AS delivery_id, deletion_id AS event_id, destination_id, state, rounds, first_due_at, due_at, webhooks,
    NULL AS replay_id, source_id, kind, user_id, created_at FROM notices`

/** The table `notices` as a queue. */
export const NOTICE_TABLE: QueueTable<Carried, NoticeRow> = {
  name: 'notices',
  select: SELECT_NOTICES,
  claimedOf,
  write: writeNotices,
}

function claimedOf(row: NoticeRow, parts: StoredParts): ClaimedDelivery<Carried> | Unreadable {
  const webhooks = parts.partsIn(row.webhooks)
  if (webhooks === undefined)
    return { id: row.delivery_id, reason: 'Its progress in the database is not readable as JSON.' }
  try {
    return { delivery: deliveryOf(row, webhooks), event: noticeOf(row) }
  } catch {
    return { id: row.delivery_id, reason: 'Its times in the database are damaged.' }
  }
}

/** Whom the notice of a row is about. */
export function subjectOf({ kind, user_id: id }: NoticeRow): Subject {
  return { kind, id: fromText(id) }
}

/** What a notice carries in place of an event. */
function noticeOf(row: NoticeRow): Carried {
  const { kind, id } = subjectOf(row)
  const [userId, anonymousId] = kind === 'user' ? [id] : [undefined, id]
  const timestamp = formatTimestamp(row.created_at)
  return {
    id: row.event_id,
    sourceId: fromText(row.source_id),
    type: 'delete',
    userId,
    anonymousId,
    previousId: undefined,
    receivedAt: row.created_at,
    body: Buffer.from(deletionPayload({ userId, anonymousId, timestamp })),
  }
}

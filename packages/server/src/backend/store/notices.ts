import {
  deletionPayload,
  type Delivery,
  type DeliveryContent,
  type DeliveryPart,
  formatTimestamp,
} from '@hookline/protocol'
import type { Subject } from '../deletions.ts'
import type { ClaimedDelivery, DeliveryQueue } from '../deliveries.ts'
import type { NewNotice, NoticeProgress, NoticeQueue, Notices } from '../notices.ts'
import type { QuarantineItem, UnreadableRecord } from '../quarantine.ts'
import type { WaitingDeliveries } from '../upkeep.ts'
import { attemptsOf, deliveryOf, type DeliveryRow, attemptDocuments } from './deliveries.ts'
import { isTime, pageOf, timeOrNull } from './rows.ts'
import { rawSql, sql } from './sql.ts'
import { lookUpTx, type Store, type Tx } from './store.ts'
import { type StoredParts, queueWithoutParts } from './stored-parts.ts'

export interface NoticeRow extends DeliveryRow {
  readonly source_id: string
  readonly kind: Subject['kind']
  readonly user_id: string
  readonly created_at: number
}

export const SELECT_NOTICES =
  'SELECT *, id AS delivery_id, deletion_id AS event_id, NULL AS replay_id FROM notices'

type ProgressRow = Omit<NoticeProgress, 'counts'> & NoticeProgress['counts']

export function storedNotices(store: Store, parts: StoredParts): Notices {
  return {
    create: (notices) => store.write(createNotices, notices),

    async progress(deletionId) {
      const rows = await store.list(sql<ProgressRow>`
        SELECT source_id AS "sourceId", destination_id AS "destinationId", sum(attempts) AS attempts,
          count(*) FILTER (WHERE state IN ('pending', 'held')) AS waiting,
          count(*) FILTER (WHERE state = 'delivered') AS delivered,
          count(*) FILTER (WHERE state NOT IN ('pending', 'held', 'delivered')) AS failed,
          max(ended_at) FILTER (WHERE state = 'delivered') AS "notifiedAt"
        FROM notices WHERE deletion_id = ${deletionId}
        GROUP BY source_id, destination_id ORDER BY source_id, destination_id`)
      return rows.map(({ waiting, delivered, failed, notifiedAt, ...row }) => ({
        ...row,
        counts: { waiting, delivered, failed },
        notifiedAt: timeOrNull(notifiedAt),
      }))
    },

    async list(deletionId, { limit, cursor = '' }) {
      // A notice's id begins with the time in its deletion's id.
      const first = `msg_${deletionId.slice(4, 14)}`
      const rows = await store.lookUp(sql<NoticeRow>`
        ${rawSql(SELECT_NOTICES)}
        WHERE id > ${cursor > first ? cursor : first} AND id < ${`${first}~`} AND deletion_id = ${deletionId}
        ORDER BY id LIMIT ${limit + 1}`)
      const ids = rows.map((row) => row.delivery_id)
      const documents = await attemptDocuments(lookUpTx(store), ids)
      await parts.load([...rows.map(({ webhooks }) => webhooks), ...[...documents.values()].flat()])
      return pageOf(rows, { limit, cursorOf: (row) => row.delivery_id }, (row) => {
        const delivery = deliveryOf(row, parts.partsIn(row.webhooks) ?? [])
        return {
          ...delivery,
          attempts: attemptsOf(documents.get(delivery.id) ?? [], parts, delivery),
          sourceId: row.source_id,
          subject: { kind: row.kind, id: row.user_id },
        }
      })
    },
  }
}

export function noticeQueueOf<Queue extends DeliveryQueue<DeliveryContent>>(
  store: Store,
  queue: Queue,
): Queue & NoticeQueue {
  return Object.assign(queue, {
    async backlog() {
      const waiting = await store.list(sql<WaitingDeliveries>`
        SELECT destination_id AS "destinationId", state, count(*) AS count FROM notices
        WHERE state IN ('pending', 'held') GROUP BY destination_id, state ORDER BY destination_id, state`)
      return { waiting }
    },

    async add(items: readonly QuarantineItem[]): Promise<void> {
      const rows = new Map(items.map(({ id, reason, at }) => [id, { id, reason, at }]))
      await store.write(quarantineNotices, [...rows.values()])
      await queue.release([...rows.keys()])
    },
  })
}

/** A claimed row. `webhooks`: its parts; `undefined` if they are unreadable. */
export function claimedNotice(
  row: NoticeRow,
  webhooks: readonly DeliveryPart[] | undefined,
): ClaimedDelivery<DeliveryContent> | UnreadableRecord {
  const { delivery_id: id, created_at: createdAt, first_due_at: firstDueAt, due_at: dueAt } = row
  if (![createdAt, firstDueAt, dueAt ?? 0].every(isTime))
    return { id, reason: 'The timestamps in the database are corrupted.' }
  if (webhooks === undefined) return { id, reason: 'The stored state is not valid JSON.' }
  return { delivery: deliveryOf(row, webhooks), event: contentOf(row) }
}

function contentOf({ kind, user_id: id, ...row }: NoticeRow): DeliveryContent {
  const [userId, anonymousId] = kind === 'user' ? [id] : [undefined, id]
  const timestamp = formatTimestamp(row.created_at)
  return {
    id: row.event_id,
    sourceId: row.source_id,
    type: 'delete',
    userId,
    anonymousId,
    previousId: undefined,
    receivedAt: row.created_at,
    body: Buffer.from(deletionPayload({ userId, anonymousId, timestamp })),
  }
}

/**
 * Columns of a notice: the number of HTTP requests made, and, once it has ended, when the last
 * response arrived.
 */
export function countedOf({ state, webhooks }: Delivery) {
  const lastAttempts = webhooks.flatMap(({ lastAttempt }) => lastAttempt ?? [])
  const attempts = lastAttempts.reduce((sum, { number }) => sum + number, 0)
  const isOpen = state === 'pending' || state === 'held' || lastAttempts.length === 0
  const ends = lastAttempts.map(({ startedAt, durationMs }) => Math.round(startedAt + durationMs))
  return { attempts, endedAt: isOpen ? null : Math.max(...ends) }
}

/** Stores new notices, which have no parts yet. Existing ones are left unchanged. */
export async function createNotices(tx: Tx, notices: readonly NewNotice[]): Promise<void> {
  const rows = notices.map(({ subject: { kind, id: userId }, ...notice }) => {
    return { ...notice, kind, userId }
  })
  const input = tx.dialect.rows(rows, {
    text: ['id', 'deletionId', 'sourceId', 'destinationId', 'kind', 'userId'],
    number: ['createdAt', 'dueAt'],
  })
  const created = await tx.all(sql<{ readonly id: string }>`
    INSERT INTO notices (id, deletion_id, source_id, destination_id, kind, user_id, created_at, state, attempt_count,
      first_due_at, due_at, attempts, webhooks, is_waiting)
    SELECT id, deletion_id, source_id, destination_id, kind, user_id, created_at, 'pending', 0,
      due_at, due_at, 0, '[]', true
    FROM ${input} ORDER BY id ON CONFLICT (id) DO NOTHING RETURNING id`)
  const ids = created.map(({ id }) => id)
  await queueWithoutParts(tx, 'notices', ids)
}

type QuarantinedNotice = Pick<QuarantineItem, 'id' | 'reason' | 'at'>

export async function quarantineNotices(tx: Tx, items: readonly QuarantinedNotice[]) {
  const ids = items.map(({ id }) => id)
  const input = tx.dialect.rows(items, { text: ['id', 'reason'], number: ['at'] })
  await tx.run(sql`
    UPDATE notices SET state = 'quarantined', due_at = NULL, is_waiting = false, ended_at = input.at
    FROM ${input} WHERE notices.id = input.id AND (state IN ('pending', 'held') OR is_waiting)`)
  // A corrupt row might not be marked as waiting.
  await tx.run(sql`DELETE FROM waiting_parts WHERE delivery_id ${tx.dialect.among(ids)}`)
  await tx.run(sql`
    INSERT INTO quarantine (id, reason, at) SELECT id, reason, at FROM ${input} ORDER BY id
    ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, at = excluded.at`)
}

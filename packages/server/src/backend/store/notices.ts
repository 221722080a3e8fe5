import {
  type Carried,
  deletionPayload,
  type Delivery,
  type DeliveryPart,
  formatTimestamp,
} from '@hookline/protocol'
import type { Subject } from '../deletions.ts'
import type { ClaimedDelivery, DeliveryQueue } from '../deliveries.ts'
import type { NewNotice, NoticeProgress, NoticeQueue, Notices } from '../notices.ts'
import type { QuarantineItem, Unreadable } from '../quarantine.ts'
import type { WaitingDeliveries } from '../upkeep.ts'
import { attemptsOf, deliveryOf, type DeliveryRow, failedAttempts } from './deliveries.ts'
import { isTime, pageOf, timeOrNull } from './rows.ts'
import { rawSql, sql } from './sql.ts'
import { lookingUp, type Store, type Tx } from './store.ts'
import { type StoredParts, waitForParts } from './stored-parts.ts'

/** A row of `notices`, which has its deletion where a delivery has its event. */
export interface NoticeRow extends DeliveryRow {
  readonly source_id: string
  readonly kind: Subject['kind']
  readonly user_id: string
  readonly created_at: number
}

export const SELECT_NOTICES =
  'SELECT *, id AS delivery_id, deletion_id AS event_id, NULL AS replay_id FROM notices'

type ProgressRow = Omit<NoticeProgress, 'counts'> & NoticeProgress['counts']

/** Deletion notices in the table `notices`, with their failed attempts in `attempts`. */
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
      // The id of a notice begins with the time in the id of its deletion.
      const first = `msg_${deletionId.slice(4, 14)}`
      const rows = await store.lookUp(sql<NoticeRow>`
        ${rawSql(SELECT_NOTICES)}
        WHERE id > ${cursor > first ? cursor : first} AND id < ${`${first}~`} AND deletion_id = ${deletionId}
        ORDER BY id LIMIT ${limit + 1}`)
      const ids = rows.map((row) => row.delivery_id)
      const documents = await failedAttempts(lookingUp(store), ids)
      await parts.know([...rows.map(({ webhooks }) => webhooks), ...[...documents.values()].flat()])
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

/** The queue of an engine on the table `notices`, with what only notices have. */
export function noticeQueueOf<Queue extends DeliveryQueue<Carried>>(
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

/** A row of the queue as it is claimed. `webhooks`: its parts, if they are readable. */
export function claimedNotice(
  row: NoticeRow,
  webhooks: readonly DeliveryPart[] | undefined,
): ClaimedDelivery<Carried> | Unreadable {
  const { delivery_id: id, created_at: createdAt, first_due_at: firstDueAt, due_at: dueAt } = row
  if (![createdAt, firstDueAt, dueAt ?? 0].every(isTime))
    return { id, reason: 'Its times in the database are damaged.' }
  if (webhooks === undefined)
    return { id, reason: 'Its progress in the database is not readable as JSON.' }
  return { delivery: deliveryOf(row, webhooks), event: carriedBy(row) }
}

function carriedBy({ kind, user_id: id, ...row }: NoticeRow): Carried {
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

/** The columns that are counted: HTTP requests made, and when the last response of a notice that has ended arrived. */
export function countedOf({ state, webhooks }: Delivery): {
  readonly attempts: number
  readonly endedAt: number | null
} {
  const lasts = webhooks.flatMap(({ last }) => last ?? [])
  const attempts = lasts.reduce((sum, { number }) => sum + number, 0)
  const isOpen = state === 'pending' || state === 'held' || lasts.length === 0
  const ends = lasts.map(({ startedAt, durationMs }) => Math.round(startedAt + durationMs))
  return { attempts, endedAt: isOpen ? null : Math.max(...ends) }
}

/** Keeps new notices, which have no parts yet. One that exists stays as it is. */
export async function createNotices(tx: Tx, notices: readonly NewNotice[]): Promise<void> {
  const given = tx.dialect.given({
    id: ['text', notices.map(({ id }) => id)],
    deletion_id: ['text', notices.map(({ deletionId }) => deletionId)],
    source_id: ['text', notices.map(({ sourceId }) => sourceId)],
    destination_id: ['text', notices.map(({ destinationId }) => destinationId)],
    kind: ['text', notices.map(({ subject }) => subject.kind)],
    user_id: ['text', notices.map(({ subject }) => subject.id)],
    created_at: ['number', notices.map(({ createdAt }) => createdAt)],
    due_at: ['number', notices.map(({ dueAt }) => dueAt)],
  })
  const created = await tx.all(sql<{ readonly id: string }>`
    INSERT INTO notices (id, deletion_id, source_id, destination_id, kind, user_id, created_at, state, rounds,
      first_due_at, due_at, attempts, webhooks, is_waiting)
    SELECT id, deletion_id, source_id, destination_id, kind, user_id, created_at, 'pending', 0,
      due_at, due_at, 0, '[]', true
    FROM ${given} ORDER BY id ON CONFLICT (id) DO NOTHING RETURNING id`)
  const ids = created.map(({ id }) => id)
  await waitForParts(tx, 'notices', ids)
}

type QuarantinedNotice = Pick<QuarantineItem, 'id' | 'reason' | 'at'>

/** Quarantines notices, each once. */
export async function quarantineNotices(
  tx: Tx,
  items: readonly QuarantinedNotice[],
): Promise<void> {
  const ids = items.map(({ id }) => id)
  const given = tx.dialect.given({
    id: ['text', ids],
    reason: ['text', items.map(({ reason }) => reason)],
    at: ['number', items.map(({ at }) => at)],
  })
  await tx.run(sql`
    UPDATE notices SET state = 'quarantined', due_at = NULL, is_waiting = false, ended_at = given.at
    FROM ${given} WHERE notices.id = given.id AND (state IN ('pending', 'held') OR is_waiting)`)
  // A damaged row may not show that it waits.
  await tx.run(sql`DELETE FROM waiting_parts WHERE delivery_id ${tx.dialect.among(ids)}`)
  await tx.run(sql`
    INSERT INTO quarantine (id, reason, at) SELECT id, reason, at FROM ${given} ORDER BY id
    ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, at = excluded.at`)
}

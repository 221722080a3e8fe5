import type { Carried } from '@hookline/protocol'
import { sql } from 'kysely'
import type { NoticeQueue } from '../../notices.ts'
import type { QuarantineItem } from '../../quarantine.ts'
import type { WaitingDeliveries } from '../../upkeep.ts'
import {
  PostgresDeliveryQueue,
  type QueueOptions,
} from '../deliveries/queue/postgres-delivery-queue.ts'
import { toText } from '../postgres/text.ts'
import { NOTICE_TABLE, type NoticeRow } from './notice-table.ts'

/** The queue of notices, on the tables `notices` and `attempts`. */
export class PostgresNoticeQueue
  extends PostgresDeliveryQueue<Carried, NoticeRow>
  implements NoticeQueue
{
  constructor(options: QueueOptions) {
    super(NOTICE_TABLE, options)
  }

  async backlog(): Promise<{ readonly waiting: readonly WaitingDeliveries[] }> {
    const waiting = await this.postgres.run(sql<WaitingDeliveries>`
      SELECT destination_id AS "destinationId", state, count(*) AS count FROM notices
      WHERE state IN ('pending', 'held') GROUP BY destination_id, state ORDER BY destination_id, state`)
    return { waiting }
  }

  async add(items: readonly QuarantineItem[]): Promise<void> {
    const rows = [...new Map(items.map((item) => [item.id, item])).values()]
    const ids = rows.map(({ id }) => id)
    await this.postgres.write((transaction) =>
      sql`
        WITH given AS MATERIALIZED (
          SELECT * FROM unnest(${ids}::text[], ${rows.map(({ reason }) => toText(reason))}::text[],
            ${rows.map(({ at }) => at)}::bigint[]) AS given (id, reason, at)),
        marked AS (
          UPDATE notices SET state = 'quarantined', due_at = NULL, is_waiting = FALSE, ended_at = given.at FROM given
          WHERE notices.id = given.id AND (state IN ('pending', 'held') OR is_waiting)),
        ended AS (DELETE FROM waiting_parts WHERE queue = 'notices' AND delivery_id = ANY(${ids}::text[]))
        INSERT INTO quarantine (id, reason, at) SELECT id, reason, at FROM given ORDER BY id
        ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, at = excluded.at`.execute(
        transaction,
      ),
    )
    await this.release(ids)
  }
}

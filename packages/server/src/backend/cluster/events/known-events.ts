import type { AcceptedEvent } from '@hookline/protocol'
import { sql, type Transaction } from 'kysely'
import { SLACK_MS } from '../../store/event-order.ts'
import { firstIdAt } from '../../store/rows.ts'
import { isId } from '../postgres/event-rows.ts'
import { toText } from '../postgres/text.ts'
import { arrays } from '../postgres/arrays.ts'

/** What the archive knows of an event that is to be archived. */
export interface KnownEvent {
  readonly isArchived: boolean
  /** It is a duplicate that its first event has counted. */
  readonly isCounted: boolean
  /** The first event with its source and messageId within the window. */
  readonly original: string | null
}

/** Looks the events up, in their order. */
export async function knownEvents(
  transaction: Transaction<unknown>,
  events: readonly AcceptedEvent[],
  dedupeWindowMs: number,
): Promise<readonly KnownEvent[]> {
  const oldest = Math.min(...events.map(({ receivedAt }) => receivedAt)) - dedupeWindowMs
  const { rows } = await sql<KnownEvent>`
    SELECT
      EXISTS (SELECT FROM events WHERE events.id = new.id) AS "isArchived",
      EXISTS (SELECT FROM counted_duplicates AS counted WHERE counted.id = new.id) AS "isCounted",
      first.id AS original
    FROM unnest(
      ${arrays.texts(events.map(({ id }) => id))},
      ${arrays.texts(events.map(({ sourceId }) => toText(sourceId)))},
      ${arrays.texts(events.map(({ messageId }) => toText(messageId)))},
      ${arrays.bigints(events.map(({ receivedAt }) => receivedAt - dedupeWindowMs))}
    ) WITH ORDINALITY AS new (id, source_id, message_id, since, number)
    LEFT JOIN LATERAL (
      SELECT events.id FROM events
      WHERE ${isId('message_id', sql`new.message_id`)} AND events.source_id = new.source_id
        AND events.received_at >= new.since AND events.id >= ${firstIdAt('evt', oldest - SLACK_MS)}
      ORDER BY events.received_at, events.seq LIMIT 1
    ) AS first ON true
    ORDER BY new.number`.execute(transaction)
  return rows
}

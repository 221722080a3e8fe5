import type { Delivery, DeliveryContent } from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { ClaimedDelivery, RecordedDelivery } from '../../deliveries.ts'
import type { UnreadableRecord } from '../../quarantine.ts'
import { DELIVERY_COLUMNS, deliveryOf, type DeliveryRow } from '../../store/deliveries.ts'
import { claimedNotice, countedOf, type NoticeRow, SELECT_NOTICES } from '../../store/notices.ts'
import { quarantineItems, type QuarantineRows } from '../../store/quarantine.ts'
import { sql as statement } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import { hasUnfinished, type QueueName, type StoredParts } from '../../store/stored-parts.ts'
import { arrays } from '../postgres/arrays.ts'
import { EVENT_COLUMNS, eventOf, type EventRow } from '../postgres/event-rows.ts'
import { fromText } from '../postgres/text.ts'

/** A delivery to record, with the value of its column `webhooks`. */
export interface StoredRecord {
  readonly delivery: Delivery
  readonly webhooks: string
}

/** How the rows of a queue are read and written. */
export interface QueueTable<E extends DeliveryContent, Row extends DeliveryRow> {
  readonly name: QueueName
  /** `SELECT … FROM …` with all columns that `claimedOf` reads. */
  readonly select: RawBuilder<Row>
  readonly claimedOf: (row: Row, parts: StoredParts) => ClaimedDelivery<E> | UnreadableRecord
  /** Records new deliveries that have ended. Returns the ids of the recorded deliveries. */
  readonly recordNew?: (
    records: readonly RecordedDelivery[],
    parts: StoredParts,
  ) => RawBuilder<{ readonly id: string }>
  /**
   * Common table expressions that write the records. The last one is `written`: the `id` of each written delivery. They can read:
   *
   * - `kept (id, state, attempt_count, first_due_at)`: the existing deliveries, locked
   * - `refused (id)`: deliveries claimed by other nodes, which must not change
   */
  readonly write: (records: readonly StoredRecord[]) => RawBuilder<unknown>
}

/** A delivery, with its event if the event still exists. */
export type EventDeliveryRow = DeliveryRow &
  Omit<EventRow, 'body'> & { readonly body: Buffer | null }

export const DELIVERY_TABLE: QueueTable<ClaimedDelivery['event'], EventDeliveryRow> = {
  name: 'deliveries',
  select: sql<EventDeliveryRow>`SELECT ${sql.raw(DELIVERY_COLUMNS)}, ${EVENT_COLUMNS}
    FROM deliveries LEFT JOIN events ON events.id = deliveries.event_id`,
  claimedOf: claimedDelivery,
  recordNew: recordNewStatement,
  write: writeDeliveries,
}

function claimedDelivery(
  row: EventDeliveryRow,
  parts: StoredParts,
): ClaimedDelivery | UnreadableRecord {
  const { delivery_id: id, body } = row
  if (body === null) return { id, reason: 'The event was not found in the archive.' }
  const webhooks = parts.partsIn(row.webhooks)
  if (!webhooks) return { id, reason: 'The stored state is not valid JSON.' }
  try {
    return { delivery: deliveryOf(row, webhooks), event: eventOf({ ...row, body }) }
  } catch {
    return { id, reason: 'The event in the database is corrupted.' }
  }
}

/** Inserts new deliveries and updates unfinished ones (`DeliveryQueue.record`). Locks the events, which purges remove first. */
function writeDeliveries(records: readonly StoredRecord[]): RawBuilder<unknown> {
  const ids = records.map(({ delivery }) => delivery.id)
  const eventIds = records.map(({ delivery }) => delivery.eventId)
  return sql`
    input AS MATERIALIZED (${rowsOf(records)}),
    fresh AS MATERIALIZED (
      SELECT input.* FROM input JOIN events ON events.id = input.event_id
      WHERE ${isBetween('events.id', eventIds)} AND input.id NOT IN (SELECT id FROM kept)
      ORDER BY events.id FOR KEY SHARE OF events),
    inserted AS (
      INSERT INTO deliveries
        (id, event_id, destination_id, state, attempt_count, first_due_at, due_at, webhooks, replay_id, is_waiting)
      SELECT * FROM fresh ON CONFLICT (id) DO NOTHING RETURNING id),
    updated AS (
      UPDATE deliveries SET state = input.state, attempt_count = input.attempt_count, due_at = input.due_at,
        webhooks = input.webhooks, is_waiting = input.is_waiting
      FROM input JOIN kept ON kept.id = input.id
      WHERE deliveries.id = input.id AND ${isBetween('deliveries.id', ids)}
        AND kept.first_due_at = input.first_due_at AND kept.attempt_count <= input.attempt_count
        AND (kept.state IN ('pending', 'held') OR kept.state = input.state)
        AND input.id NOT IN (SELECT id FROM refused)
      RETURNING deliveries.id, deliveries.replay_id, kept.state AS before, deliveries.state),
    replayed AS (${countReplayEnds('updated')}),
    written AS (SELECT id FROM inserted UNION ALL SELECT id FROM updated)`
}

function rowsOf(records: readonly StoredRecord[]): RawBuilder<unknown> {
  const all = records.map(({ delivery }) => delivery)
  return sql`
    SELECT * FROM unnest(${deliveryArrays(all)},
      ${arrays.bigints(all.map(({ dueAt }) => dueAt))}, ${arrays.texts(records.map(({ webhooks }) => webhooks))},
      ${arrays.texts(all.map(({ replayId }) => replayId ?? null))}, ${arrays.booleans(all.map(hasUnfinished))}
    ) AS input (id, event_id, destination_id, state, attempt_count, first_due_at, due_at, webhooks, replay_id, is_waiting)`
}

/** Whether this may be the only record of its delivery, which ended without a failed attempt. */
export function isNewAndEnded({ delivery, attempts, claimed = [] }: RecordedDelivery): boolean {
  const hasEnded = delivery.dueAt === null && !hasUnfinished(delivery)
  return (
    hasEnded &&
    delivery.replayId === undefined &&
    claimed.length === 0 &&
    attempts.every(({ outcome }) => outcome === 'delivered')
  )
}

function recordNewStatement(
  records: readonly RecordedDelivery[],
  parts: StoredParts,
): RawBuilder<{ readonly id: string }> {
  // Every transaction locks events in this order.
  const all = records
    .map(({ delivery }) => delivery)
    .toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1))
  return sql`SELECT record_new(${deliveryArrays(all)}, ${arrays.texts(all.map((delivery) => parts.textOf(delivery)))}) AS id`
}

function deliveryArrays(all: readonly Delivery[]): RawBuilder<unknown> {
  return sql`
    ${arrays.texts(all.map(({ id }) => id))}, ${arrays.texts(all.map(({ eventId }) => eventId))},
    ${arrays.texts(all.map(({ destinationId }) => destinationId))}, ${arrays.texts(all.map(({ state }) => state))},
    ${arrays.ints(all.map(({ attemptCount }) => attemptCount))}, ${arrays.bigints(all.map(({ firstDueAt }) => firstDueAt))}`
}

/** Whether an id is within the range of `ids`. Joins use it to skip partitions; a list would be searched for each row. */
function isBetween(column: string, ids: readonly string[]): RawBuilder<boolean> {
  const sorted = ids.toSorted()
  const [first = '', last = ''] = [sorted[0], sorted.at(-1)]
  return sql<boolean>`${sql.ref(column)} BETWEEN ${first} AND ${last}`
}

/** The number of rows over which the counts of a replay are spread, to reduce lock waits. */
const SLOTS = 16

/** A CTE that counts the outcomes of replayed deliveries in `changed (replay_id, state, before)`. */
function countReplayEnds(changed: string): RawBuilder<unknown> {
  const slot = Math.floor(Math.random() * SLOTS)
  return sql`
    INSERT INTO replay_ends AS ends
    SELECT replay_id, ${slot}::int, count(*) FILTER (WHERE state = 'delivered'),
      count(*) FILTER (WHERE state NOT IN ('delivered', 'declined'))
    FROM ${sql.table(changed)}
    WHERE replay_id IN (SELECT id FROM replays) AND before IN ('pending', 'held') AND state NOT IN ('pending', 'held')
    GROUP BY replay_id ORDER BY replay_id
    ON CONFLICT (replay_id, slot) DO UPDATE
      SET delivered = ends.delivered + excluded.delivered, failed = ends.failed + excluded.failed`
}

/** Like `quarantineItems`, and counts unfinished deliveries of replays as failed. */
export async function quarantineAndCount(tx: Tx, rows: QuarantineRows): Promise<void> {
  const ids = rows.items.map(({ id }) => id)
  await tx.run(statement`
    WITH open AS MATERIALIZED (
      SELECT replay_id FROM deliveries WHERE id = ANY(${ids}::text[]) AND state IN ('pending', 'held')
        AND replay_id IN (SELECT id FROM replays) ORDER BY id FOR UPDATE OF deliveries)
    INSERT INTO replay_ends AS ends SELECT replay_id, 0, 0, count(*) FROM open GROUP BY replay_id ORDER BY replay_id
    ON CONFLICT (replay_id, slot) DO UPDATE SET failed = ends.failed + excluded.failed`)
  await quarantineItems(tx, rows)
}

export const NOTICE_TABLE: QueueTable<DeliveryContent, NoticeRow> = {
  name: 'notices',
  select: sql<NoticeRow>`${sql.raw(SELECT_NOTICES)}`,
  claimedOf: (row, parts) =>
    claimedNotice(
      { ...row, source_id: fromText(row.source_id), user_id: fromText(row.user_id) },
      parts.partsIn(row.webhooks),
    ),
  write: writeNotices,
}

/** Updates existing notices. Final states do not change. */
function writeNotices(records: readonly StoredRecord[]): RawBuilder<unknown> {
  const all = records.map(({ delivery }) => delivery)
  const counted = all.map(countedOf)
  return sql`
    input AS MATERIALIZED (
      SELECT * FROM unnest(
        ${arrays.texts(all.map(({ id }) => id))}, ${arrays.texts(all.map(({ state }) => state))},
        ${arrays.ints(all.map(({ attemptCount }) => attemptCount))}, ${arrays.bigints(all.map(({ dueAt }) => dueAt))},
        ${arrays.bigints(counted.map(({ endedAt }) => endedAt))}, ${arrays.ints(counted.map(({ attempts }) => attempts))},
        ${arrays.texts(records.map(({ webhooks }) => webhooks))}, ${arrays.booleans(all.map(hasUnfinished))}
      ) AS input (id, state, attempt_count, due_at, ended_at, attempts, webhooks, is_waiting)),
    written AS (
      UPDATE notices SET state = input.state, attempt_count = input.attempt_count, due_at = input.due_at, ended_at = input.ended_at,
        attempts = input.attempts, webhooks = input.webhooks, is_waiting = input.is_waiting
      FROM input JOIN kept ON kept.id = input.id
      WHERE notices.id = input.id AND (kept.state IN ('pending', 'held') OR kept.state = input.state)
        AND kept.attempt_count <= input.attempt_count AND input.id NOT IN (SELECT id FROM refused)
      RETURNING notices.id)`
}

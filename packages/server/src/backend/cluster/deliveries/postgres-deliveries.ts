import type { Delivery } from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import type {
  ClaimedDelivery,
  Deliveries,
  DeliveryFilter,
  DeliveryHistory,
} from '../../deliveries.ts'
import type { Page, PageRequest } from '../../page.ts'
import type { Unreadable } from '../../quarantine.ts'
import {
  DELIVERY_COLUMNS,
  deliveryOf,
  type DeliveryRow,
  StoredDeliveries,
} from '../../store/deliveries.ts'
import type { Reads } from '../../store/store.ts'
import type { StoredParts } from '../../store/stored-parts.ts'
import { arrays } from '../postgres/arrays.ts'
import { EVENT_COLUMNS, eventOf, type EventRow } from '../postgres/event-rows.ts'
import { PostgresDeliveryQueue, type QueueOptions } from './queue/postgres-delivery-queue.ts'
import { type Given, isWaiting, type QueueTable } from './queue/queue-table.ts'
import { recordNewStatement } from './queue/record-new.ts'
import { isBetween } from './rows/ids-between.ts'
import { countReplayEnds } from './rows/replay-ends.ts'

/** A delivery with its event, which may be gone. */
type Row = DeliveryRow & Omit<EventRow, 'body'> & { readonly body: Buffer | null }

/** The table `deliveries` as a queue. */
const TABLE: QueueTable<ClaimedDelivery['event'], Row> = {
  name: 'deliveries',
  select: sql<Row>`SELECT ${sql.raw(DELIVERY_COLUMNS)}, ${EVENT_COLUMNS}
    FROM deliveries LEFT JOIN events ON events.id = deliveries.event_id`,
  claimedOf,
  recordNew: recordNewStatement,
  write,
}

/** The queue and the history of deliveries, on the tables `deliveries` and `attempts`. */
export class PostgresDeliveries
  extends PostgresDeliveryQueue<ClaimedDelivery['event'], Row>
  implements Deliveries
{
  readonly #lanes: QueueOptions['lanes']
  readonly #stored: StoredDeliveries

  constructor(options: QueueOptions, reads: Reads) {
    super(TABLE, options)
    this.#lanes = options.lanes
    this.#stored = new StoredDeliveries(reads, this.parts)
  }

  find(id: string): Promise<DeliveryHistory | undefined> {
    return this.#stored.find(id)
  }

  list(filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliveryHistory>> {
    return this.#stored.list(filter, page)
  }

  /** The columns `webhooks` of deliveries. */
  async webhooksOf(deliveries: readonly Delivery[]): Promise<readonly string[]> {
    await this.#lanes.giveTo(
      'deliveries',
      deliveries.map((delivery) => ({ delivery, attempts: [] })),
    )
    return deliveries.map((delivery) => this.parts.textOf(delivery))
  }
}

function claimedOf(row: Row, parts: StoredParts): ClaimedDelivery | Unreadable {
  const { delivery_id: id, body } = row
  if (body === null) return { id, reason: 'Its event is no longer in the archive.' }
  const webhooks = parts.partsIn(row.webhooks)
  if (!webhooks) return { id, reason: 'Its progress in the database is not readable as JSON.' }
  try {
    return { delivery: deliveryOf(row, webhooks), event: eventOf({ ...row, body }) }
  } catch {
    return { id, reason: 'Its event in the database is damaged.' }
  }
}

/**
 * Keeps new deliveries, and updates those that have not ended. One that has ended keeps its state, and gets the results of its
 * other webhooks. A replay or a retry by hand changes `first_due_at`: a record of the time before changes nothing after it.
 *
 * A purge removes events before their deliveries. The event of a new delivery is locked, so it is there until this is committed.
 */
function write(given: readonly Given[]): RawBuilder<unknown> {
  const ids = given.map(({ delivery }) => delivery.id)
  const eventIds = given.map(({ delivery }) => delivery.eventId)
  return sql`
    given AS MATERIALIZED (${rowsOf(given)}),
    fresh AS MATERIALIZED (
      SELECT given.* FROM given JOIN events ON events.id = given.event_id
      WHERE ${isBetween('events.id', eventIds)} AND given.id NOT IN (SELECT id FROM kept)
      ORDER BY events.id FOR KEY SHARE OF events),
    inserted AS (
      INSERT INTO deliveries
        (id, event_id, destination_id, state, rounds, first_due_at, due_at, webhooks, replay_id, is_waiting)
      SELECT * FROM fresh ON CONFLICT (id) DO NOTHING RETURNING id),
    updated AS (
      UPDATE deliveries SET state = given.state, rounds = given.rounds, due_at = given.due_at,
        webhooks = given.webhooks, is_waiting = given.is_waiting
      FROM given JOIN kept ON kept.id = given.id
      WHERE deliveries.id = given.id AND ${isBetween('deliveries.id', ids)}
        AND kept.first_due_at = given.first_due_at AND kept.rounds <= given.rounds
        AND (kept.state IN ('pending', 'held') OR kept.state = given.state)
        AND given.id NOT IN (SELECT id FROM refused)
      RETURNING deliveries.id, deliveries.replay_id, kept.state AS before, deliveries.state),
    replayed AS (${countReplayEnds('updated')}),
    written AS (SELECT id FROM inserted UNION ALL SELECT id FROM updated)`
}

function rowsOf(given: readonly Given[]): RawBuilder<unknown> {
  const all = given.map(({ delivery }) => delivery)
  return sql`
    SELECT * FROM unnest(
      ${arrays.texts(all.map(({ id }) => id))}, ${arrays.texts(all.map(({ eventId }) => eventId))},
      ${arrays.texts(all.map(({ destinationId }) => destinationId))}, ${arrays.texts(all.map(({ state }) => state))},
      ${arrays.ints(all.map(({ rounds }) => rounds))}, ${arrays.bigints(all.map(({ firstDueAt }) => firstDueAt))},
      ${arrays.bigints(all.map(({ dueAt }) => dueAt))}, ${arrays.texts(given.map(({ webhooks }) => webhooks))},
      ${arrays.texts(all.map(({ replayId }) => replayId ?? null))}, ${arrays.booleans(all.map(isWaiting))}
    ) AS given (id, event_id, destination_id, state, rounds, first_due_at, due_at, webhooks, replay_id, is_waiting)`
}

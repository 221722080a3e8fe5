import { sql, type Transaction } from 'kysely'
import type { DeliveryQueue } from '../../deliveries.ts'
import type { Quarantine, QuarantineItem } from '../../quarantine.ts'
import { isBetween } from '../deliveries/rows/ids-between.ts'
import type { PostgresLanes } from '../deliveries/rows/postgres-lanes.ts'
import { countReplayEnds } from '../deliveries/rows/replay-ends.ts'
import { StoredParts } from '../../store/stored-parts.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'

export interface PostgresQuarantineOptions {
  readonly postgres: Postgres
  readonly lanes: PostgresLanes
  readonly deliveries: Pick<DeliveryQueue, 'release'>
}

/** Quarantine of events and deliveries on the table `quarantine`. */
export class PostgresQuarantine implements Quarantine {
  readonly #postgres: Postgres
  readonly #deliveries: Pick<DeliveryQueue, 'release'>
  readonly #lanes: PostgresLanes
  readonly #parts: StoredParts

  constructor({ postgres, lanes, deliveries }: PostgresQuarantineOptions) {
    this.#postgres = postgres
    this.#deliveries = deliveries
    this.#lanes = lanes
    this.#parts = new StoredParts('deliveries', lanes)
  }

  async add(items: readonly QuarantineItem[]): Promise<void> {
    if (items.length === 0) return
    await this.#lanes.giveTo(
      'deliveries',
      items.flatMap(({ delivery }) => (delivery ? [{ delivery, attempts: [] }] : [])),
    )
    await this.#postgres.write(async (transaction) => {
      await this.#keepNew(transaction, items)
      await mark(transaction, items)
    })
    await this.#deliveries.release(items.map(({ id }) => id))
  }

  /** Deliveries that may not be recorded yet. */
  async #keepNew(
    transaction: Transaction<unknown>,
    items: readonly QuarantineItem[],
  ): Promise<void> {
    const all = items.flatMap(({ delivery }) => delivery ?? [])
    if (all.length === 0) return
    const eventIds = all.map(({ eventId }) => eventId)
    await sql`
      WITH given AS MATERIALIZED (
        SELECT * FROM unnest(
          ${all.map(({ id }) => id)}::text[], ${eventIds}::text[],
          ${all.map(({ destinationId }) => destinationId)}::text[], ${all.map(({ rounds }) => rounds)}::int[],
          ${all.map(({ firstDueAt }) => firstDueAt)}::bigint[],
          ${all.map((delivery) => this.#parts.textOf(delivery))}::text[]
        ) AS given (id, event_id, destination_id, rounds, first_due_at, webhooks)),
      archived AS MATERIALIZED (
        SELECT id FROM events WHERE id = ANY(${eventIds}::text[]) ORDER BY id FOR KEY SHARE)
      INSERT INTO deliveries
        (id, event_id, destination_id, state, rounds, first_due_at, webhooks, is_waiting)
      SELECT given.id, event_id, destination_id, 'quarantined', rounds, first_due_at, webhooks, false
      FROM given JOIN archived ON archived.id = given.event_id ORDER BY given.id
      ON CONFLICT (id) DO NOTHING`.execute(transaction)
  }
}

/** Marks the deliveries that have no end, ends what waits of them, and keeps the reasons and the contents. */
async function mark(
  transaction: Transaction<unknown>,
  items: readonly QuarantineItem[],
): Promise<void> {
  const ids = [...new Set(items.map(({ id }) => id))].toSorted()
  await sql`
    WITH given AS MATERIALIZED (
      SELECT DISTINCT ON (id) * FROM unnest(
        ${items.map(({ id }) => id)}::text[], ${items.map(({ reason }) => toText(reason))}::text[],
        ${items.map(({ at }) => at)}::bigint[],
        ${items.map(({ content }) => (content ? Buffer.from(content) : null))}::bytea[]
      ) AS given (id, reason, at, content)),
    archived AS MATERIALIZED (
      SELECT id FROM events WHERE id = ANY(${ids}::text[]) ORDER BY id FOR KEY SHARE),
    kept AS MATERIALIZED (
      SELECT id, state FROM deliveries WHERE id = ANY(${ids}::text[]) ORDER BY id FOR UPDATE),
    updated AS (
      UPDATE deliveries SET state = 'quarantined', due_at = NULL, is_waiting = false FROM kept
      WHERE deliveries.id = kept.id AND ${isBetween('deliveries.id', ids)}
        AND (kept.state IN ('pending', 'held') OR deliveries.is_waiting)
      RETURNING deliveries.replay_id, kept.state AS before, deliveries.state),
    replayed AS (${countReplayEnds('updated')}),
    ended AS (
      DELETE FROM waiting_parts USING kept WHERE delivery_id = kept.id)
    INSERT INTO quarantine AS stored (id, reason, at, content) SELECT id, reason, at, content FROM given
    WHERE content IS NOT NULL OR id IN (SELECT id FROM archived) OR id IN (SELECT id FROM kept)
    ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, at = excluded.at,
      content = coalesce(excluded.content, stored.content)`.execute(transaction)
}

import type { Delivery } from '@hookline/protocol'
import type { DeliveryQueue } from '../deliveries.ts'
import type { Quarantine, QuarantineItem } from '../quarantine.ts'
import { sql } from './sql.ts'
import type { Store, Tx, Write } from './store.ts'

/** A delivery that may have no row yet. */
interface NewRow extends Pick<
  Delivery,
  'id' | 'eventId' | 'destinationId' | 'rounds' | 'firstDueAt'
> {
  /** The column of this name. */
  readonly webhooks: string
}

export interface QuarantineRows {
  /** Each id once. */
  readonly items: readonly Omit<QuarantineItem, 'delivery'>[]
  readonly deliveries: readonly NewRow[]
}

interface QuarantinedQueue extends Pick<DeliveryQueue, 'release'> {
  /** The columns `webhooks` of deliveries, as values of statements. */
  webhooksOf(deliveries: readonly Delivery[]): Promise<readonly string[]>
}

/**
 * Events and deliveries in the table `quarantine`.
 * @param write `quarantineItems`, with what an engine adds to it
 */
export function storedQuarantine(
  store: Store,
  queue: QuarantinedQueue,
  write: Write<QuarantineRows, void> = quarantineItems,
): Quarantine {
  return {
    async add(items) {
      if (items.length === 0) return
      const deliveries = items.flatMap(({ delivery }) => delivery ?? [])
      const webhooks = await queue.webhooksOf(deliveries)
      await store.write(write, {
        items: [...new Map(items.map(({ delivery: _, ...item }) => [item.id, item])).values()],
        deliveries: deliveries.map(({ id, eventId, destinationId, rounds, firstDueAt }, index) => {
          return { id, eventId, destinationId, rounds, firstDueAt, webhooks: webhooks[index]! }
        }),
      })
      await queue.release(items.map(({ id }) => id))
    },
  }
}

/** Ends the deliveries that have no end, takes them out of all lanes, and keeps the reasons and the contents. */
export async function quarantineItems(
  tx: Tx,
  { items, deliveries }: QuarantineRows,
): Promise<void> {
  if (deliveries.length > 0) await insertNew(tx, deliveries)
  const ids = items.map(({ id }) => id).toSorted()
  const given = tx.dialect.given({ id: ['text', ids] })
  const archived = await tx.all(sql<{ readonly id: string }>`
    SELECT events.id FROM ${given} JOIN events ON events.id = given.id
    ORDER BY events.id ${tx.dialect.forKeyShare}`)
  // The first and the last id pick the partitions.
  await tx.run(sql`
    UPDATE deliveries SET state = 'quarantined', due_at = NULL, is_waiting = false FROM ${given}
    WHERE deliveries.id = given.id AND deliveries.id BETWEEN ${ids[0]!} AND ${ids.at(-1)!}
      AND (state IN ('pending', 'held') OR is_waiting)`)
  // A damaged delivery may be in a lane without being marked as one that waits.
  await tx.run(sql`DELETE FROM waiting_parts WHERE delivery_id IN (SELECT id FROM ${given})`)
  await insertItems(tx, items, new Set(archived.map(({ id }) => id)))
}

/** Only deliveries of archived events: a purge removes events before their deliveries. */
async function insertNew(tx: Tx, deliveries: readonly NewRow[]): Promise<void> {
  const given = tx.dialect.given({
    id: ['text', deliveries.map(({ id }) => id)],
    event_id: ['text', deliveries.map(({ eventId }) => eventId)],
    destination_id: ['text', deliveries.map(({ destinationId }) => destinationId)],
    rounds: ['number', deliveries.map(({ rounds }) => rounds)],
    first_due_at: ['number', deliveries.map(({ firstDueAt }) => firstDueAt)],
    webhooks: ['text', deliveries.map(({ webhooks }) => webhooks)],
  })
  await tx.run(sql`
    INSERT INTO deliveries (id, event_id, destination_id, state, rounds, first_due_at, webhooks, is_waiting)
    SELECT given.id, event_id, destination_id, 'quarantined', rounds, first_due_at, webhooks, false
    FROM ${given} JOIN events ON events.id = event_id ORDER BY given.id ${tx.dialect.forKeyShare}
    ON CONFLICT (id) DO NOTHING`)
}

/** Nothing of an event that is not in the archive, unless the item has its content. */
async function insertItems(
  tx: Tx,
  items: QuarantineRows['items'],
  archived: ReadonlySet<string>,
): Promise<void> {
  const given = tx.dialect.given({
    id: ['text', items.map(({ id }) => id)],
    reason: ['text', items.map(({ reason }) => reason)],
    at: ['number', items.map(({ at }) => at)],
    is_kept: ['number', items.map(({ id, content }) => Number(archived.has(id) || !!content))],
  })
  await tx.run(sql`
    INSERT INTO quarantine (id, reason, at)
    SELECT given.id, reason, at FROM ${given} LEFT JOIN deliveries ON deliveries.id = given.id
    WHERE is_kept = 1 OR deliveries.id IS NOT NULL ORDER BY given.id
    ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, at = excluded.at`)
  for (const { id, content } of items)
    if (content !== undefined && !archived.has(id))
      await tx.run(sql`UPDATE quarantine SET content = ${content} WHERE id = ${id}`)
}

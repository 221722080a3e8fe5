import type { Delivery } from '@hookline/protocol'
import type { DeliveryQueue } from '../deliveries.ts'
import type { Quarantine, QuarantineItem } from '../quarantine.ts'
import { sql } from './sql.ts'
import type { Store, Tx, Write } from './store.ts'

/** A delivery that may have no row yet, with the column `webhooks`. */
type NewRow = Omit<Delivery, 'webhooks'> & { readonly webhooks: string }

export interface QuarantineRows {
  /** Each id once. */
  readonly items: readonly Omit<QuarantineItem, 'delivery'>[]
  readonly deliveries: readonly NewRow[]
}

interface QuarantinedQueue extends Pick<DeliveryQueue, 'release'> {
  webhooksOf(deliveries: readonly Delivery[]): Promise<readonly string[]>
}

/** The items in the table `quarantine`. `write`: `quarantineItems`, with an engine's additions. */
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
        deliveries: deliveries.map((delivery, at) => ({ ...delivery, webhooks: webhooks[at]! })),
      })
      await queue.release(items.map(({ id }) => id))
    },
  }
}

/** Ends unfinished deliveries, removes them from all lanes, and stores reasons and contents. */
export async function quarantineItems(tx: Tx, { items, deliveries }: QuarantineRows) {
  if (deliveries.length > 0) await insertNew(tx, deliveries)
  const ids = items.map(({ id }) => id).toSorted()
  const input = tx.dialect.rows(items, { text: ['id'] })
  const archived = await tx.all(sql<{ readonly id: string }>`
    SELECT events.id FROM ${input} JOIN events ON events.id = input.id
    ORDER BY events.id ${tx.dialect.forKeyShare}`)
  // The first and the last id select the partitions.
  await tx.run(sql`
    UPDATE deliveries SET state = 'quarantined', due_at = NULL, is_waiting = false FROM ${input}
    WHERE deliveries.id = input.id AND deliveries.id BETWEEN ${ids[0]!} AND ${ids.at(-1)!}
      AND (state IN ('pending', 'held') OR is_waiting)`)
  // A corrupt delivery may be in a lane without being marked as waiting.
  await tx.run(sql`DELETE FROM waiting_parts WHERE delivery_id ${tx.dialect.among(ids)}`)
  await insertItems(tx, items, new Set(archived.map(({ id }) => id)))
}

/** Only deliveries of archived events: a purge removes events before their deliveries. */
async function insertNew(tx: Tx, deliveries: readonly NewRow[]): Promise<void> {
  const input = tx.dialect.rows(deliveries, {
    text: ['id', 'eventId', 'destinationId', 'webhooks'],
    number: ['attemptCount', 'firstDueAt'],
  })
  await tx.run(sql`
    INSERT INTO deliveries (id, event_id, destination_id, state, attempt_count, first_due_at, webhooks, is_waiting)
    SELECT input.id, event_id, destination_id, 'quarantined', attempt_count, first_due_at, webhooks, false
    FROM ${input} JOIN events ON events.id = event_id ORDER BY input.id ${tx.dialect.forKeyShare}
    ON CONFLICT (id) DO NOTHING`)
}

/** Skips events that are not archived, unless the item has the content. */
async function insertItems(tx: Tx, items: QuarantineRows['items'], archived: ReadonlySet<string>) {
  const rows = items.map((item) => ({ ...item, isKept: archived.has(item.id) || !!item.content }))
  const input = tx.dialect.rows(rows, { text: ['id', 'reason'], number: ['at', 'isKept'] })
  await tx.run(sql`
    INSERT INTO quarantine (id, reason, at)
    SELECT input.id, reason, at FROM ${input} LEFT JOIN deliveries ON deliveries.id = input.id
    WHERE is_kept = 1 OR deliveries.id IS NOT NULL ORDER BY input.id
    ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, at = excluded.at`)
  for (const { id, content } of items)
    if (content !== undefined && !archived.has(id))
      await tx.run(sql`UPDATE quarantine SET content = ${content} WHERE id = ${id}`)
}

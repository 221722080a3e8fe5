import { sql } from 'kysely'
import type {
  ClaimedDelivery,
  Deliveries,
  DeliveryFilter,
  DeliveryHistory,
} from '../../deliveries.ts'
import type { Page, PageRequest } from '../../page.ts'
import type { Connection } from '../postgres/postgres.ts'
import { fromText } from '../postgres/text.ts'
import {
  attemptsOf,
  DELIVERY_COLUMNS,
  deliveryOf,
  type DeliveryRow,
  failedAttempts,
} from './rows/delivery-rows.ts'
import { DELIVERY_TABLE } from './rows/delivery-table.ts'
import { listDeliveries } from './reports/list-deliveries.ts'
import { PostgresDeliveryQueue, type QueueOptions } from './queue/postgres-delivery-queue.ts'

interface QuarantineRow {
  readonly id: string
  readonly reason: string
  readonly at: number
}

/** The queue and the history of deliveries, on the tables `deliveries` and `attempts`. */
export class PostgresDeliveries
  extends PostgresDeliveryQueue<
    ClaimedDelivery['event'],
    Parameters<typeof DELIVERY_TABLE.claimedOf>[0]
  >
  implements Deliveries
{
  constructor(options: QueueOptions) {
    super(DELIVERY_TABLE, options)
  }

  async find(id: string): Promise<DeliveryHistory | undefined> {
    return this.postgres.read(async (db) => {
      const { rows } = await sql<DeliveryRow>`
        SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE id = ${id}`.execute(db)
      return (await this.#historiesOf(db, rows))[0]
    })
  }

  async list(filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliveryHistory>> {
    return this.postgres.read(async (db) => {
      const { data, nextCursor } = await listDeliveries(db, filter, page)
      return { data: await this.#historiesOf(db, data), nextCursor }
    })
  }

  async #historiesOf(db: Connection, rows: readonly DeliveryRow[]): Promise<DeliveryHistory[]> {
    const ids = rows.map((row) => row.delivery_id)
    const [documents, quarantined] = await Promise.all([
      failedAttempts(db, ids),
      quarantineOf(db, rows),
    ])
    const columns = [...rows.map(({ webhooks }) => webhooks), ...[...documents.values()].flat()]
    await this.parts.know(columns)
    return rows.map((row) => {
      // A part that cannot be read is left out: the rest of the history is still worth showing.
      const delivery = deliveryOf(row, this.parts.partsIn(row.webhooks) ?? [])
      const quarantine = quarantined.get(delivery.id)
      return {
        ...delivery,
        attempts: attemptsOf(documents.get(delivery.id) ?? [], this.parts, delivery),
        ...(quarantine && {
          quarantine: { reason: fromText(quarantine.reason), at: quarantine.at },
        }),
      }
    })
  }
}

async function quarantineOf(
  db: Connection,
  deliveries: readonly DeliveryRow[],
): Promise<ReadonlyMap<string, QuarantineRow>> {
  const ids = deliveries.flatMap((row) => (row.state === 'quarantined' ? row.delivery_id : []))
  if (ids.length === 0) return new Map()
  const { rows } = await sql<QuarantineRow>`
    SELECT id, reason, at FROM quarantine WHERE id = ANY(${ids}::text[])`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

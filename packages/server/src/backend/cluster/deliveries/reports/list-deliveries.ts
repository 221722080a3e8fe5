import { sql } from 'kysely'
import type { DeliveryFilter } from '../../../deliveries.ts'
import type { Page, PageRequest } from '../../../page.ts'
import type { Connection } from '../../postgres/postgres.ts'
import { pageOf } from '../../../store/rows.ts'
import { indexedConditions, otherConditions } from './delivery-conditions.ts'
import { DELIVERY_COLUMNS, type DeliveryRow } from '../rows/delivery-rows.ts'

/**
 * How many deliveries each step of a page looks at: 50,000 in all. A page that found too few by then is short, and its cursor
 * leads on.
 */
const STEPS = [500, 4_500, 45_000]

/** Deliveries, newest first. A page looks through a bounded part of the table. */
export async function listDeliveries(
  db: Connection,
  filter: DeliveryFilter,
  { limit, cursor = '~' }: PageRequest,
): Promise<Page<DeliveryRow>> {
  const rows: DeliveryRow[] = []
  let before: string | null = cursor
  for (const most of isBounded(filter) ? [undefined] : STEPS) {
    const step: Step = await lookThrough(db, filter, {
      before,
      limit: limit + 1 - rows.length,
      most,
    })
    rows.push(...step.rows)
    before = step.next
    if (before === null || rows.length > limit) break
  }
  const page = pageOf(rows, { limit, cursorOf: (row) => row.delivery_id }, (row) => row)
  return { data: page.data, nextCursor: page.nextCursor ?? before }
}

interface Step {
  readonly rows: readonly DeliveryRow[]
  /** Where the next step begins; `null` where nothing is left. */
  readonly next: string | null
}

interface Wanted {
  readonly before: string
  readonly limit: number
  /** How many deliveries are looked at; `undefined`: as many as it takes. */
  readonly most: number | undefined
}

/** Whether each delivery that is looked at meets the filter. The deliveries of one event are few, and wanted all at once. */
function isBounded(filter: DeliveryFilter): boolean {
  return Boolean(filter.eventId) || otherConditions(filter) === undefined
}

async function lookThrough(
  db: Connection,
  filter: DeliveryFilter,
  { before, limit, most }: Wanted,
): Promise<Step> {
  const inOrder = sql`${indexedConditions(filter)} AND deliveries.id < ${before}`
  const next = most === undefined ? null : await chunkEnd(db, inOrder, most)
  const from = next === null ? sql`TRUE` : sql`deliveries.id >= ${next}`
  const { rows } = await sql<DeliveryRow>`
    SELECT ${DELIVERY_COLUMNS} FROM deliveries
    WHERE ${inOrder} AND ${from} AND ${otherConditions(filter) ?? sql`TRUE`}
    ORDER BY deliveries.id DESC LIMIT ${limit}`.execute(db)
  return { rows, next }
}

/** The first id of the chunk of rows; `null` where the rows that are left fit into one. */
async function chunkEnd(
  db: Connection,
  inOrder: ReturnType<typeof sql>,
  most: number,
): Promise<string | null> {
  const { rows } = await sql<{ readonly id: string }>`
    SELECT id FROM deliveries WHERE ${inOrder} ORDER BY id DESC LIMIT 1 OFFSET ${most - 1}`.execute(
    db,
  )
  return rows[0]?.id ?? null
}

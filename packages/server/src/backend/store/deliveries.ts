import {
  type Attempt,
  type Delivery,
  type DeliveryPart,
  type DeliveryState,
  timeOfId,
} from '@hookline/protocol'
import type { Deliveries, DeliveryFilter } from '../deliveries.ts'
import type { Page, PageRequest } from '../page.ts'
import type { Dialect } from './dialect.ts'
import { conditionsOf, idBound, pageOf, timeOf, timeOrNull, withoutEmptyStrings } from './rows.ts'
import { joinSql, rawSql, sql, type Statement } from './sql.ts'
import { lookUpTx, type Reads, type ReadTx } from './store.ts'
import type { StoredParts } from './stored-parts.ts'

/** The columns of a delivery, or of a notice with its deletion as `event_id`. */
export interface DeliveryRow {
  readonly delivery_id: string
  readonly event_id: string
  readonly destination_id: string
  readonly state: DeliveryState
  readonly attempt_count: number
  readonly first_due_at: number
  readonly due_at: number | null
  readonly webhooks: string
  readonly replay_id: string | null
}

export const DELIVERY_COLUMNS = `deliveries.id AS delivery_id, deliveries.event_id, deliveries.destination_id, deliveries.state,
  deliveries.attempt_count, deliveries.first_due_at, deliveries.due_at, deliveries.webhooks, deliveries.replay_id`

const COLUMNS = rawSql(DELIVERY_COLUMNS)

/**
 * The number of deliveries that each step of a page examines: 50,000 in total. If too few match,
 * the page is short and its cursor continues.
 */
const STEPS = [500, 4_500, 45_000]

export function storedDeliveries(
  reads: Reads,
  parts: StoredParts,
): Pick<Deliveries, 'find' | 'list'> {
  const lookUps = lookUpTx(reads)
  const historiesOf = async (rows: readonly HistoryRow[]) => {
    await parts.load(rows.flatMap(({ webhooks, documents }) => [webhooks, ...documents]))
    return rows.map((row) => {
      // Unreadable parts are omitted: the rest of the history is still worth showing.
      const delivery = deliveryOf(row, parts.partsIn(row.webhooks) ?? [])
      const attempts = attemptsOf(row.documents, parts, delivery)
      const quarantine = row.quarantine && {
        reason: row.quarantine.reason,
        at: timeOf(row.quarantine.at),
      }
      return { ...delivery, attempts, ...(quarantine && { quarantine }) }
    })
  }
  return {
    async find(id) {
      const rows = await lookUps.all(
        sql<DeliveryRow>`SELECT ${COLUMNS} FROM deliveries WHERE id = ${id}`,
      )
      return (await historiesOf(await withHistory(lookUps, rows)))[0]
    },

    async list(all, page) {
      const filter = withoutEmptyStrings(all)
      // The deliveries of one event are few, so they do not queue behind long reads.
      const { data, nextCursor } =
        filter.eventId === undefined
          ? await reads.read(listDeliveries, { filter, page })
          : await listDeliveries(lookUps, { filter, page })
      return { data: await historiesOf(data), nextCursor }
    },
  }
}

interface QuarantineRow {
  readonly id: string
  readonly reason: string
  readonly at: number
}

interface HistoryRow extends DeliveryRow {
  readonly documents: readonly string[]
  readonly quarantine: QuarantineRow | undefined
}

interface ListedPage {
  readonly filter: DeliveryFilter
  readonly page: PageRequest
}

export async function listDeliveries(
  tx: ReadTx,
  { filter, page: { limit, cursor } }: ListedPage,
): Promise<Page<HistoryRow>> {
  const { indexed, others, isBounded } = conditionsFor(filter, tx.dialect)
  const [first, end] = idsIn(filter)
  const rows: DeliveryRow[] = []
  let before: string | null = cursor !== undefined && cursor < end ? cursor : end
  for (const size of isBounded ? [undefined] : STEPS) {
    const inOrder: Statement = sql`id < ${before} ${indexed}`
    const next: string | null = size === undefined ? null : await chunkEnd(tx, first, inOrder, size)
    rows.push(
      ...(await tx.all(sql<DeliveryRow>`
        SELECT ${COLUMNS} FROM deliveries WHERE id >= ${next ?? first} AND ${inOrder} ${others}
        ORDER BY id DESC LIMIT ${limit + 1 - rows.length}`)),
    )
    before = next
    if (before === null || rows.length > limit) break
  }
  const page = pageOf(rows, { limit, cursorOf: (row) => row.delivery_id }, (row) => row)
  return { data: await withHistory(tx, page.data), nextCursor: page.nextCursor ?? before }
}

/** The lowest id in the next chunk of rows; `null` if fewer rows remain. */
async function chunkEnd(tx: ReadTx, first: string, inOrder: Statement, rows: number) {
  const [row] = await tx.all(sql<{ readonly id: string }>`
    SELECT id FROM deliveries WHERE id >= ${first} AND ${inOrder}
    ORDER BY id DESC LIMIT 1 OFFSET ${rows - 1}`)
  return row?.id ?? null
}

/** The class of the row `part`: of its last attempt, `not_attempted`, or NULL before its first attempt. */
export const CLASS_OF_PART = `COALESCE(part.value -> 'last' ->> 'class',
  CASE part.value ->> 'state' WHEN 'expired' THEN 'not_attempted' END)`
export const STATUS_OF_PART = `CAST(part.value -> 'last' ->> 'status' AS integer)`

interface Conditions {
  /** Conditions that an index serves, or on the event id. */
  readonly indexed: Statement
  readonly others: Statement
  /** Whether one step is enough: it lists every row that it examines, or all belong to one event. */
  readonly isBounded: boolean
}

/** The conditions of a filter, except its times, each beginning with AND. */
function conditionsFor(filter: DeliveryFilter, dialect: Dialect): Conditions {
  const { eventId, destinationId, state, waiting, class: lastClass } = filter
  const [indexedId, otherId] = dialect.hasDeliveryIndexes
    ? [destinationId, undefined]
    : [undefined, destinationId]
  const others = [
    conditionsOf({ destination_id: otherId, state, is_waiting: waiting }),
    conditionsOf({ state: lastClass === 'quarantined' ? lastClass : undefined }),
    conditionOnParts(filter, dialect),
  ]
  return {
    indexed: conditionsOf({ event_id: eventId, destination_id: indexedId }),
    others: joinSql(others, ' '),
    isBounded: eventId !== undefined || others.every(({ values }) => values.length === 0),
  }
}

function conditionOnParts({ class: lastClass, status }: DeliveryFilter, dialect: Dialect) {
  const part = conditionsOf({
    [CLASS_OF_PART]: lastClass === 'quarantined' ? undefined : lastClass,
    [STATUS_OF_PART]: status,
  })
  if (part.values.length === 0) return part
  return sql`AND EXISTS (
    SELECT 1 FROM ${dialect.elements(sql`deliveries.webhooks`)} AS part WHERE true ${part})`
}

/** The bounds of the ids that may match: an id begins with the time of its event. They limit the rows and partitions to read. */
function idsIn({ eventId, from, to }: DeliveryFilter): readonly [string, string] {
  if (eventId !== undefined) {
    const time = timeOfId(eventId)
    return [idBound('msg', time), idBound('msg', time + 1)]
  }
  return [
    from === undefined ? 'msg_' : idBound('msg', from),
    to === undefined ? 'msg_~' : idBound('msg', to),
  ]
}

async function withHistory(tx: ReadTx, rows: readonly DeliveryRow[]): Promise<HistoryRow[]> {
  const all = rows.map((row) => row.delivery_id)
  const documents = await attemptDocuments(tx, all)
  const ids = rows.flatMap((row) => (row.state === 'quarantined' ? row.delivery_id : []))
  const among = sql<QuarantineRow>`
    SELECT id, reason, at FROM quarantine WHERE id ${tx.dialect.among(ids)}`
  const quarantined = ids.length === 0 ? [] : await tx.all(among)
  const quarantine = new Map(quarantined.map((row) => [row.id, row]))
  return rows.map((row) => {
    const { delivery_id: id } = row
    return { ...row, documents: documents.get(id) ?? [], quarantine: quarantine.get(id) }
  })
}

/** The documents of stored attempts, by delivery. */
export async function attemptDocuments(
  tx: ReadTx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.all(sql<{ readonly delivery_id: string; readonly document: string }>`
    SELECT delivery_id, document FROM attempts WHERE delivery_id ${tx.dialect.among(ids)}
    ORDER BY delivery_id, id`)
  const byId = Map.groupBy(rows, (row) => row.delivery_id)
  return new Map([...byId].map(([id, each]) => [id, each.map(({ document }) => document)]))
}

export function deliveryOf(row: DeliveryRow, webhooks: readonly DeliveryPart[]): Delivery {
  return {
    id: row.delivery_id,
    eventId: row.event_id,
    destinationId: row.destination_id,
    state: row.state,
    attemptCount: row.attempt_count,
    firstDueAt: timeOf(row.first_due_at),
    dueAt: timeOrNull(row.due_at),
    webhooks,
    ...(row.replay_id !== null && { replayId: row.replay_id }),
  }
}

/**
 * Every readable attempt, oldest first. `documents`: the stored attempts. A successful attempt that is not among them exists only as
 * `lastAttempt` in `webhooks`.
 */
export function attemptsOf(
  documents: readonly string[],
  parts: StoredParts,
  { webhooks }: Pick<Delivery, 'webhooks'>,
): readonly Attempt[] {
  const stored = documents.flatMap((document) => parts.attemptIn(document) ?? [])
  const delivered = webhooks.flatMap(({ lastAttempt }) =>
    lastAttempt?.outcome === 'delivered' && stored.every(({ id }) => id !== lastAttempt.id)
      ? [lastAttempt]
      : [],
  )
  return [...stored, ...delivered].toSorted((a, b) => a.startedAt - b.startedAt)
}

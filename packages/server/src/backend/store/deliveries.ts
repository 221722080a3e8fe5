import {
  type Attempt,
  type Delivery,
  type DeliveryPart,
  type DeliveryState,
  timeOfId,
} from '@hookline/protocol'
import type { Deliveries, DeliveryFilter, DeliveryHistory } from '../deliveries.ts'
import type { Page, PageRequest } from '../page.ts'
import type { Dialect } from './dialect.ts'
import { conditionsOf, firstIdAt, pageOf, timeOf, timeOrNull, withoutEmptyTexts } from './rows.ts'
import { joinSql, rawSql, sql, type Statement } from './sql.ts'
import { lookingUp, type Reads, type ReadTx } from './store.ts'
import type { StoredParts } from './stored-parts.ts'

/** The columns of a delivery, or of a notice with its deletion as `event_id`. */
export interface DeliveryRow {
  readonly delivery_id: string
  readonly event_id: string
  readonly destination_id: string
  readonly state: DeliveryState
  readonly rounds: number
  readonly first_due_at: number
  readonly due_at: number | null
  readonly webhooks: string
  readonly replay_id: string | null
}

/** The columns of a `DeliveryRow`. */
export const DELIVERY_COLUMNS = `deliveries.id AS delivery_id, deliveries.event_id, deliveries.destination_id, deliveries.state,
  deliveries.rounds, deliveries.first_due_at, deliveries.due_at, deliveries.webhooks, deliveries.replay_id`

const COLUMNS = rawSql(DELIVERY_COLUMNS)

/**
 * Deliveries that each step of a page looks at: 50,000 in all. A page that found too few by then is short, and its cursor leads
 * on.
 */
const STEPS = [500, 4_500, 45_000]

/** The history of deliveries in the tables `deliveries`, `attempts` and `quarantine`. */
export class StoredDeliveries implements Pick<Deliveries, 'find' | 'list'> {
  readonly #reads: Reads
  readonly #parts: StoredParts

  constructor(reads: Reads, parts: StoredParts) {
    this.#reads = reads
    this.#parts = parts
  }

  async find(id: string): Promise<DeliveryHistory | undefined> {
    const tx = lookingUp(this.#reads)
    const rows = await tx.all(sql<DeliveryRow>`SELECT ${COLUMNS} FROM deliveries WHERE id = ${id}`)
    return (await this.#historiesOf(await withHistory(tx, rows)))[0]
  }

  async list(all: DeliveryFilter, page: PageRequest): Promise<Page<DeliveryHistory>> {
    const filter = withoutEmptyTexts(all)
    // The deliveries of one event are a look-up. The pipeline makes it, and waits for no other read.
    const { data, nextCursor } =
      filter.eventId === undefined
        ? await this.#reads.read(listDeliveries, { filter, page })
        : await listDeliveries(lookingUp(this.#reads), { filter, page })
    return { data: await this.#historiesOf(data), nextCursor }
  }

  async #historiesOf(rows: readonly HistoryRow[]): Promise<DeliveryHistory[]> {
    await this.#parts.know(rows.flatMap(({ webhooks, documents }) => [webhooks, ...documents]))
    return rows.map((row) => {
      // A part that cannot be read is left out: the rest of the history is still worth showing.
      const delivery = deliveryOf(row, this.#parts.partsIn(row.webhooks) ?? [])
      const { quarantine } = row
      return {
        ...delivery,
        attempts: attemptsOf(row.documents, this.#parts, delivery),
        ...(quarantine && {
          quarantine: { reason: quarantine.reason, at: timeOf(quarantine.at) },
        }),
      }
    })
  }
}

interface QuarantineRow {
  readonly id: string
  readonly reason: string
  readonly at: number
}

interface HistoryRow extends DeliveryRow {
  /** Of failed attempts. */
  readonly documents: readonly string[]
  readonly quarantine: QuarantineRow | undefined
}

interface ListedPage {
  readonly filter: DeliveryFilter
  readonly page: PageRequest
}

/** Lists deliveries, newest first. A page looks through a bounded part of the table. */
export async function listDeliveries(
  tx: ReadTx,
  { filter, page: { limit, cursor } }: ListedPage,
): Promise<Page<HistoryRow>> {
  const { indexed, others, isBounded } = conditionsFor(filter, tx.dialect)
  const [first, end] = idsIn(filter)
  const rows: DeliveryRow[] = []
  let before: string | null = cursor !== undefined && cursor < end ? cursor : end
  for (const most of isBounded ? [undefined] : STEPS) {
    const inOrder: Statement = sql`id < ${before} ${indexed}`
    const next: string | null = most === undefined ? null : await chunkEnd(tx, first, inOrder, most)
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

/** The first id of the chunk of rows; `null` if the rows that are left fit into one. */
async function chunkEnd(
  tx: ReadTx,
  first: string,
  inOrder: Statement,
  rows: number,
): Promise<string | null> {
  const [row] = await tx.all(sql<{ readonly id: string }>`
    SELECT id FROM deliveries WHERE id >= ${first} AND ${inOrder}
    ORDER BY id DESC LIMIT 1 OFFSET ${rows - 1}`)
  return row?.id ?? null
}

/** The class of a part, the row `part`: that of its last attempt, or `not_attempted`. NULL for one that is yet to be attempted. */
export const CLASS_OF_PART = `COALESCE(part.value -> 'last' ->> 'class',
  CASE part.value ->> 'state' WHEN 'expired' THEN 'not_attempted' END)`
/** The HTTP status of the last attempt of a part. */
export const STATUS_OF_PART = `CAST(part.value -> 'last' ->> 'status' AS integer)`

interface Conditions {
  /** Those that an index serves, or the id of the event. */
  readonly indexed: Statement
  readonly others: Statement
  /** Whether one step is enough: it lists every row that it looks at, or all of them are of one event. */
  readonly isBounded: boolean
}

/** The conditions of a filter, each beginning with AND, except those on the time. */
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

/**
 * The first id that may meet the filter, and one beyond the last. The id of a delivery begins with the time in the id of its
 * event, so few rows, or partitions, are looked at.
 */
function idsIn({ eventId, from, to }: DeliveryFilter): readonly [string, string] {
  if (eventId !== undefined) {
    const time = timeOfId(eventId)
    return [firstIdAt('msg', time), firstIdAt('msg', time + 1)]
  }
  return [
    from === undefined ? 'msg_' : firstIdAt('msg', from),
    to === undefined ? 'msg_~' : firstIdAt('msg', to),
  ]
}

/** The rows, with everything else that histories are made of. */
async function withHistory(tx: ReadTx, rows: readonly DeliveryRow[]): Promise<HistoryRow[]> {
  const all = rows.map((row) => row.delivery_id)
  const documents = await failedAttempts(tx, all)
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

/** Documents of failed attempts, by delivery or notice. */
export async function failedAttempts(
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
    rounds: row.rounds,
    firstDueAt: timeOf(row.first_due_at),
    dueAt: timeOrNull(row.due_at),
    webhooks,
    ...(row.replay_id !== null && { replayId: row.replay_id }),
  }
}

/**
 * Every attempt of a delivery, oldest first: failed attempts have their own rows, successful ones are in `webhooks`. Those that
 * cannot be read are left out.
 */
export function attemptsOf(
  documents: readonly string[],
  parts: StoredParts,
  { webhooks }: Pick<Delivery, 'webhooks'>,
): readonly Attempt[] {
  const failed = documents.flatMap((document) => parts.attemptIn(document) ?? [])
  const delivered = webhooks.flatMap(({ last }) => (last?.outcome === 'delivered' ? [last] : []))
  return [...failed, ...delivered].toSorted((a, b) => a.startedAt - b.startedAt)
}

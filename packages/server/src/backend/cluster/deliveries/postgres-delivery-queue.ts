import type { AcceptedEvent, Delivery, DeliveryContent } from '@hookline/protocol'
import { sql } from 'kysely'
import type {
  Claim,
  ClaimedDelivery,
  ClaimRequest,
  Deliveries,
  DeliveryFilter,
  DeliveryHistory,
  DeliveryQueue,
  LaneId,
  RecordedDelivery,
  WaitingLanes,
} from '../../deliveries.ts'
import type { Page, PageRequest } from '../../page.ts'
import type { UnreadableRecord } from '../../quarantine.ts'
import { type DeliveryRow, storedDeliveries } from '../../store/deliveries.ts'
import type { Reads } from '../../store/store.ts'
import { StoredParts, UNSPLIT_LANES } from '../../store/stored-parts.ts'
import type { Postgres } from '../postgres/postgres.ts'
import type { ClaimingNode } from './claiming-node.ts'
import { NodeClaims } from './claims.ts'
import type { PostgresLanes } from './postgres-lanes.ts'
import { byDueAt, claimStatement, recordStatement, waitingStatement } from './queue-statements.ts'
import {
  DELIVERY_TABLE,
  type EventDeliveryRow,
  isNewAndEnded,
  type QueueTable,
} from './queue-tables.ts'

interface QueueOptions {
  readonly postgres: Postgres
  readonly node: ClaimingNode
  readonly lanes: PostgresLanes
}

/** A delivery inserted concurrently by another transaction is found on the second attempt. */
const MAX_TRIES = 2

/**
 * The delivery queue of one table. The table holds the states; `waiting_parts` holds the waiting
 * parts and the nodes that have claimed them.
 */
export class PostgresDeliveryQueue<
  E extends DeliveryContent = AcceptedEvent,
  Row extends DeliveryRow = DeliveryRow,
> implements DeliveryQueue<E> {
  protected readonly postgres: Postgres
  protected readonly parts: StoredParts
  readonly #table: QueueTable<E, Row>
  readonly #node: ClaimingNode
  readonly #lanes: PostgresLanes
  readonly #claims: NodeClaims
  readonly #unsplitLane: number

  constructor(table: QueueTable<E, Row>, { postgres, node, lanes }: QueueOptions) {
    this.#table = table
    this.#unsplitLane = UNSPLIT_LANES[table.name]
    this.postgres = postgres
    this.#node = node
    this.#lanes = lanes
    this.parts = new StoredParts(table.name, lanes)
    this.#claims = new NodeClaims(postgres, { queue: table.name, node: node.id })
  }

  async record(records: readonly RecordedDelivery[]): Promise<void> {
    const latest = onePerDelivery(records)
    await this.#lanes.addMissing(this.#table.name, latest)
    let remaining = await this.#recordNew(latest)
    for (let tries = 0; remaining.length > 0 && tries < MAX_TRIES; tries++) {
      const missed = await this.#recordOnce(remaining)
      remaining = remaining.filter(({ delivery }) => missed.has(delivery.id))
    }
  }

  async claim(lane: LaneId, request: ClaimRequest): Promise<Claim<E>> {
    const number = await this.#lanes.find(this.#table.name, lane)
    if (number === undefined) return { deliveries: [], unreadable: [] }
    return this.#claim(number, request)
  }

  async claimUnsplit(limit: number): Promise<Claim<E>> {
    return this.#claim(this.#unsplitLane, { due: Number.MAX_SAFE_INTEGER, limit })
  }

  async release(ids: readonly string[], lane?: LaneId): Promise<void> {
    const number = lane && (await this.#lanes.find(this.#table.name, lane))
    if (lane !== undefined && number === undefined) return
    await this.#claims.end(this.#claims.of(new Set(ids), number))
  }

  async waiting(): Promise<WaitingLanes> {
    await this.#claims.endUnknown()
    const rows = await this.postgres.run(waitingStatement(this.#table.name, this.#node.id))
    await this.#lanes.load(
      rows.map(({ number }) => number).filter((each) => each !== this.#unsplitLane),
    )
    const lanes = rows.flatMap(({ number, due_at: dueAt, is_held: isHeld }) => {
      const lane = this.#lanes.laneOf(number)
      return lane ? [{ destinationId: lane.destinationId, url: lane.url, dueAt, isHeld }] : []
    })
    return { lanes, isUnsplit: rows.some(({ number }) => number === this.#unsplitLane) }
  }

  /** Records new deliveries that have ended. Returns the other records. */
  async #recordNew(records: readonly RecordedDelivery[]): Promise<readonly RecordedDelivery[]> {
    const { recordNew } = this.#table
    const isClaimed = ({ delivery }: RecordedDelivery): boolean =>
      this.#claims.of([delivery.id]).length > 0
    const ended = records.filter((record) => isNewAndEnded(record) && !isClaimed(record))
    if (recordNew === undefined || ended.length === 0) return records
    const rows = await this.postgres.run(recordNew(ended, this.parts))
    const written = new Set(rows.map(({ id }) => id))
    return records.filter(({ delivery }) => !written.has(delivery.id))
  }

  /** Returns the ids of deliveries that were not recorded, because another transaction inserted or removed them at the same time. */
  async #recordOnce(records: readonly RecordedDelivery[]): Promise<ReadonlySet<string>> {
    const held = this.#claims.of(records.map(({ delivery }) => delivery.id))
    const recording = { records, node: this.#node.id, held }
    const rows = await this.#claims.run(
      recordStatement(this.#table, this.parts, recording),
      (recorded) => recorded.filter(({ kind }) => kind === 'claimed'),
      held,
    )
    return new Set(rows.filter(({ kind }) => kind === 'missed').map(({ id }) => id))
  }

  async #claim(lane: number, request: ClaimRequest): Promise<Claim<E>> {
    if (request.limit <= 0) return { deliveries: [], unreadable: [] }
    await this.#node.whenAlive()
    const claiming = { ...request, lane, node: this.#node.id }
    const rows = await this.#claims.run(claimStatement(claiming), (claimed) => claimed)
    const claimed = rows.toSorted(byDueAt)
    try {
      const { deliveries, unreadable } = await this.#read(
        claimed.map(({ id }) => id),
        lane,
      )
      return { deliveries, unreadable: await this.#stillClaimed(unreadable, lane) }
    } catch (error) {
      await this.#claims.end(claimed)
      throw error
    }
  }

  /** A separate statement, so that it sees changes that another node made before the claim. */
  async #read(ids: readonly string[], lane: number): Promise<Claim<E>> {
    if (ids.length === 0) return { deliveries: [], unreadable: [] }
    const { name, select } = this.#table
    const rows = await this.postgres.run(
      sql<Row>`${select} WHERE ${sql.table(name)}.id = ANY(${ids}::text[])`,
    )
    await this.parts.load(rows.map(({ webhooks }) => webhooks))
    const byId = new Map(rows.map((row) => [row.delivery_id, row]))
    const read = ids.map((id) => this.#readOne(id, lane, byId.get(id)))
    return {
      deliveries: read.filter((each) => 'delivery' in each),
      unreadable: read.filter((each) => 'reason' in each),
    }
  }

  /** A retry, a replay or a purge between the claim and the read ends the claim: then the delivery is not faulty. */
  async #stillClaimed(
    unreadable: readonly UnreadableRecord[],
    lane: number,
  ): Promise<UnreadableRecord[]> {
    const claims = this.#claims.of(new Set(unreadable.map(({ id }) => id)), lane)
    const claimedIds = new Set(await this.#claims.stillClaimed(claims))
    return unreadable.filter(({ id }) => claimedIds.has(id))
  }

  #readOne(id: string, lane: number, row: Row | undefined): ClaimedDelivery<E> | UnreadableRecord {
    if (row === undefined) return { id, reason: 'The delivery was not found in the database.' }
    return this.parts.claimedIn(lane, this.#table.claimedOf(row, this.parts))
  }
}

/** The last record of each delivery, with all its attempts. */
function onePerDelivery(records: readonly RecordedDelivery[]): readonly RecordedDelivery[] {
  const byId = new Map<string, RecordedDelivery>()
  for (const record of records) {
    const before = byId.get(record.delivery.id)?.attempts ?? []
    byId.set(record.delivery.id, { ...record, attempts: [...before, ...record.attempts] })
  }
  return [...byId.values()]
}

/** The queue and the history of deliveries. */
export class PostgresDeliveries
  extends PostgresDeliveryQueue<ClaimedDelivery['event'], EventDeliveryRow>
  implements Deliveries
{
  readonly #lanes: QueueOptions['lanes']
  readonly #stored: ReturnType<typeof storedDeliveries>

  constructor(options: QueueOptions, reads: Reads) {
    super(DELIVERY_TABLE, options)
    this.#lanes = options.lanes
    this.#stored = storedDeliveries(reads, this.parts)
  }

  find(id: string): Promise<DeliveryHistory | undefined> {
    return this.#stored.find(id)
  }

  list(filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliveryHistory>> {
    return this.#stored.list(filter, page)
  }

  async webhooksOf(deliveries: readonly Delivery[]): Promise<readonly string[]> {
    await this.#lanes.addMissing(
      'deliveries',
      deliveries.map((delivery) => ({ delivery, attempts: [] })),
    )
    return deliveries.map((delivery) => this.parts.textOf(delivery))
  }
}

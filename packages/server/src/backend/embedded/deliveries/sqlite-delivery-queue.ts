import type { AcceptedEvent, Carried, Delivery, DeliveryPart } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type {
  Claim,
  ClaimedDelivery,
  ClaimRequest,
  DeliveryQueue,
  LaneId,
  RecordedDelivery,
  Waiting,
  WaitingLane,
} from '../../deliveries.ts'
import type { Unreadable } from '../../quarantine.ts'
import { systemClock } from '../../../util/time/clock.ts'
import { TimeSlices } from '../../../util/time/time-slices.ts'
import { type QueueName, StoredParts, UNSPLIT_LANES } from '../../store/stored-parts.ts'
import { isTime } from '../../store/rows.ts'
import { numberOrNull, type Row, Statements } from '../database/statements.ts'
import type { Writer } from '../writer.ts'
import type { StoredLanes } from './stored-lanes.ts'
import { type QueueRow, recordedRowsOf } from './write-deliveries.ts'

/** The table that a queue is kept in: how its rows are read, and which operation writes them. */
export interface QueueTable<E extends Carried> {
  readonly name: QueueName
  /** `SELECT … FROM …`, with everything that `claimedOf` reads. */
  readonly select: string
  readonly claimedOf: (row: Row, parts: StoredParts) => ClaimedDelivery<E> | Unreadable
  /** The row that `record` writes. `webhooks`: its column of that name. */
  readonly rowOf: (delivery: Delivery, webhooks: string) => QueueRow
  readonly record: 'recordDeliveries' | 'recordNotices'
}

/** Whether the times of a row of a queue are not damaged. */
export function hasReadableTimes(row: Row): boolean {
  return isTime(row['first_due_at']) && (row['due_at'] === null || isTime(row['due_at']))
}

const NO_LANES: readonly number[] = []
/** How many parts are looked at together. */
const CHECKED_PARTS = 1_000
const DUE = `SELECT delivery_id FROM waiting_parts WHERE lane = ? AND due_at <= ?
  ORDER BY due_at, delivery_id LIMIT ?`
const LATER = `SELECT delivery_id FROM waiting_parts WHERE lane = ? AND due_at > ?
  ORDER BY due_at, delivery_id LIMIT ?`
const HELD = `SELECT delivery_id FROM waiting_parts WHERE lane = ? AND due_at IS NULL
  ORDER BY delivery_id LIMIT ?`
const NEXT_DUE = `SELECT delivery_id, due_at FROM waiting_parts WHERE lane = ? AND due_at IS NOT NULL
  ORDER BY due_at, delivery_id LIMIT ?`
const WAITING = (table: QueueName): string => `SELECT delivery_id, lane FROM waiting_parts
  WHERE (delivery_id, lane) > (?, ?) AND EXISTS (SELECT 1 FROM ${table} WHERE id = delivery_id)
  ORDER BY delivery_id, lane LIMIT ${CHECKED_PARTS}`
const LANES = `SELECT lane, MAX(is_held) AS is_held FROM waiting_lanes WHERE count > 0 GROUP BY lane`

/**
 * The queue of the lanes on one table. The table holds the states, `waiting_parts` what waits in which lane, and `Claims`
 * who works on what.
 */
export class SqliteDeliveryQueue<E extends Carried = AcceptedEvent> implements DeliveryQueue<E> {
  protected readonly claims = new Claims()
  protected readonly parts: StoredParts
  readonly #table: QueueTable<E>
  readonly #unsplitLane: number
  readonly #lanes: StoredLanes
  readonly #writer: Writer
  readonly #statements: Statements

  constructor(table: QueueTable<E>, lanes: StoredLanes, writer: Writer, reader: DatabaseSync) {
    this.#table = table
    this.#unsplitLane = UNSPLIT_LANES[table.name]
    this.#lanes = lanes
    this.#writer = writer
    this.#statements = new Statements(reader)
    this.parts = new StoredParts(table.name, lanes)
  }

  async record(records: readonly RecordedDelivery[]): Promise<void> {
    const { record, rowOf } = this.#table
    // Only claims that exist now: a part that this parks can be claimed as soon as it is durable, before this resolves.
    const ended = records.flatMap((each) => this.#takeOver(each))
    await this.#writer.run(record, recordedRowsOf(records, this.parts, rowOf))
    this.claims.end(ended)
  }

  async claim(lane: LaneId, { due, limit }: ClaimRequest): Promise<Claim<E>> {
    const number = this.#lanes.find(this.#table.name, lane)
    if (number === undefined) return { deliveries: [], unreadable: [] }
    return this.#statements.together(() => this.#claim(number, due, limit))
  }

  async claimUnsplit(limit: number): Promise<Claim<E>> {
    return this.#statements.together(() =>
      this.#claim(this.#unsplitLane, Number.MAX_SAFE_INTEGER, limit),
    )
  }

  async release(ids: readonly string[], lane?: LaneId): Promise<void> {
    const number = lane && this.#lanes.find(this.#table.name, lane)
    if (lane !== undefined && number === undefined) return
    for (const id of ids)
      this.claims.end(number === undefined ? this.claims.ofDelivery(id) : [{ id, lane: number }])
  }

  async waiting(): Promise<Waiting> {
    const lanes: WaitingLane[] = []
    let isUnsplit = false
    const slices = new TimeSlices(systemClock)
    for (const row of this.#statements.all(LANES, [])) {
      // Each lane is a query of its own. The event loop must run in between.
      await slices.yieldIfOver()
      const number = Number(row['lane'])
      const dueAt = this.#nextDue(number)
      const isHeld = row['is_held'] === 1
      if (number === this.#unsplitLane) isUnsplit = dueAt !== null
      const lane = this.#lanes.laneOf(number)
      if (lane?.queue !== this.#table.name || (dueAt === null && !isHeld)) continue
      const { destinationId, url } = lane
      lanes.push({ destinationId, url, dueAt, isHeld })
    }
    return { lanes, isUnsplit }
  }

  /** Everything that waits and is damaged, slice by slice. Reads all that waits. What is in quarantine waits no more. */
  *damaged(): Iterable<readonly Unreadable[]> {
    let after: Row | undefined = { delivery_id: '', lane: 0 }
    while (after !== undefined) {
      const { delivery_id: id, lane } = after
      const rows = this.#statements.all(WAITING(this.#table.name), [id!, lane!])
      const found = new Map<string, Unreadable>()
      for (const row of rows) {
        const read = this.#read(String(row['delivery_id']), Number(row['lane']))
        if ('reason' in read) found.set(read.id, read)
      }
      if (found.size > 0) yield [...found.values()]
      after = rows.at(-1)
    }
  }

  /** Makes the parts in lanes claimed, and returns the claims that end with the record. */
  #takeOver({ delivery, claimed = [] }: RecordedDelivery): ReturnType<Claims['ofDelivery']> {
    const { id, destinationId } = delivery
    const kept = claimed.map((url) =>
      this.#lanes.numberOf(this.#table.name, { destinationId, url }),
    )
    for (const lane of kept) this.claims.begin({ id, lane })
    return this.claims.ofDelivery(id, kept)
  }

  #claim(lane: number, due: ClaimRequest['due'], limit: number): Claim<E> {
    const claimed = this.claims.of(lane)
    // Claimed parts still wait in the table, so as many more are selected.
    const ids = this.#idsIn(lane, due, limit + claimed.size)
    const free = ids.map((row) => String(row['delivery_id'])).filter((id) => !claimed.has(id))
    const read = free.slice(0, limit).map((id) => {
      this.claims.begin({ id, lane })
      return this.#read(id, lane)
    })
    return {
      deliveries: read.filter((each) => 'delivery' in each),
      unreadable: read.filter((each) => 'reason' in each),
    }
  }

  #idsIn(lane: number, due: ClaimRequest['due'], most: number): Row[] {
    if (due === 'held') return this.#statements.all(HELD, [lane, most])
    if (typeof due === 'number') return this.#statements.all(DUE, [lane, due, most])
    return this.#statements.all(LATER, [lane, due.after, most])
  }

  #read(id: string, lane: number): ClaimedDelivery<E> | Unreadable {
    const { name, select, claimedOf } = this.#table
    const [row] = this.#statements.all(`${select} WHERE ${name}.id = ?`, [id])
    if (row === undefined) return { id, reason: 'It is no longer in the database.' }
    const read = claimedOf(row, this.parts)
    if ('reason' in read || lane === this.#unsplitLane) return read
    return waitsIn(read.delivery, this.#lanes.laneOf(lane))
      ? read
      : { id, reason: 'It waits in a lane of which it has no part: the database is damaged.' }
  }

  #nextDue(lane: number): number | null {
    const claimed = this.claims.of(lane)
    const rows = this.#statements.all(NEXT_DUE, [lane, claimed.size + 1])
    const row = rows.find((each) => !claimed.has(String(each['delivery_id'])))
    return row === undefined ? null : numberOrNull(row['due_at'])
  }
}

/** Whether a delivery has a part that waits in a lane. It may have another one of the same URL, whose webhook was removed. */
function waitsIn({ destinationId, webhooks }: Delivery, lane: LaneId | undefined): boolean {
  const isWaiting = ({ url, state }: DeliveryPart): boolean =>
    url === lane?.url && (state === 'pending' || state === 'held')
  return destinationId === lane?.destinationId && webhooks.some(isWaiting)
}

/** A claim: of the part of a delivery in one lane. */
interface PartClaim {
  readonly id: string
  readonly lane: number
}

/**
 * Which waiting parts are claimed. In memory, because only one process uses the file: its claims end with it.
 */
class Claims {
  readonly #byLane = new Map<number, Set<string>>()
  /** Lists, because a delivery has a few lanes, and there are many deliveries. */
  readonly #lanesOf = new Map<string, readonly number[]>()

  /** Ids of the deliveries whose part in this lane is claimed. */
  of(lane: number): ReadonlySet<string> {
    return this.#byLane.get(lane) ?? new Set()
  }

  begin({ id, lane }: PartClaim): void {
    const claimed = this.#byLane.get(lane)
    if (claimed?.has(id)) return
    if (claimed === undefined) this.#byLane.set(lane, new Set([id]))
    else claimed.add(id)
    // A spread would leave room for 16 more lanes.
    this.#lanesOf.set(id, (this.#lanesOf.get(id) ?? NO_LANES).concat(lane))
  }

  /** The claims of a delivery, except those in these lanes. */
  ofDelivery(id: string, except: readonly number[] = NO_LANES): readonly PartClaim[] {
    const lanes = this.#lanesOf.get(id) ?? NO_LANES
    return lanes.filter((lane) => !except.includes(lane)).map((lane) => ({ id, lane }))
  }

  end(claims: readonly PartClaim[]): void {
    for (const { id, lane } of claims) {
      const claimed = this.#byLane.get(lane)
      if (!claimed?.delete(id)) continue
      if (claimed.size === 0) this.#byLane.delete(lane)
      const left = this.#lanesOf.get(id)!.filter((each) => each !== lane)
      if (left.length === 0) this.#lanesOf.delete(id)
      else this.#lanesOf.set(id, left)
    }
  }
}

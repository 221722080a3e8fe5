import type { AcceptedEvent, Delivery, DeliveryContent } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type {
  Claim,
  ClaimedDelivery,
  ClaimRequest,
  DeliveryQueue,
  LaneId,
  RecordedDelivery,
  WaitingLanes,
  WaitingLane,
} from '../../deliveries.ts'
import type { UnreadableRecord } from '../../quarantine.ts'
import { systemClock } from '../../../util/time/clock.ts'
import { TimeSlices } from '../../../util/time/time-slices.ts'
import { type QueueName, StoredParts, UNSPLIT_LANES } from '../../store/stored-parts.ts'
import { type SqliteRow, Statements } from '../database/statements.ts'
import type { Writer } from '../writer.ts'
import type { StoredLanes } from './stored-lanes.ts'
import { type QueueRow, recordedRowsOf } from './write-deliveries.ts'

/** The table of a queue: how its rows are read and written. */
export interface QueueTable<E extends DeliveryContent> {
  readonly name: QueueName
  /** `SELECT … FROM …`, with all columns that `claimedOf` reads. */
  readonly select: string
  readonly claimedOf: (row: SqliteRow, parts: StoredParts) => ClaimedDelivery<E> | UnreadableRecord
  readonly rowOf: (delivery: Delivery, webhooks: string) => QueueRow
  readonly record: 'recordDeliveries' | 'recordNotices'
}

const NO_LANES: readonly number[] = []
const CHECKED_PARTS = 1_000
/**
 * Fewer records than this wait a moment for other records or the next append, to share their
 * commit.
 */
const MIN_COMMIT_RECORDS = 32
const MAX_RECORD_WAIT_MS = 10
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
 * The delivery queue of one table. Lanes are in `waiting_parts`, and work in progress is in
 * `Claims`.
 */
export class SqliteDeliveryQueue<
  E extends DeliveryContent = AcceptedEvent,
> implements DeliveryQueue<E> {
  readonly parts: StoredParts
  readonly #claims = new Claims()
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
    // Collected before the write: a part that it parks may be claimed again before this resolves, and that claim must not end.
    const ended = records.flatMap((each) => this.#takeOver(each))
    const maxWaitMs = records.length < MIN_COMMIT_RECORDS ? MAX_RECORD_WAIT_MS : undefined
    await this.#writer.run(record, recordedRowsOf(records, this.parts, rowOf), { maxWaitMs })
    this.#claims.end(ended)
  }

  async claim(lane: LaneId, { due, limit }: ClaimRequest): Promise<Claim<E>> {
    const number = this.#lanes.find(this.#table.name, lane)
    if (number === undefined) return { deliveries: [], unreadable: [] }
    return this.#statements.inReadTransaction(() => this.#claim(number, due, limit))
  }

  async claimUnsplit(limit: number): Promise<Claim<E>> {
    return this.#statements.inReadTransaction(() =>
      this.#claim(this.#unsplitLane, Number.MAX_SAFE_INTEGER, limit),
    )
  }

  async release(ids: readonly string[], lane?: LaneId): Promise<void> {
    const number = lane && this.#lanes.find(this.#table.name, lane)
    if (lane !== undefined && number === undefined) return
    for (const id of ids)
      this.#claims.end(number === undefined ? this.#claims.ofDelivery(id) : [{ id, lane: number }])
  }

  async waiting(): Promise<WaitingLanes> {
    const lanes: WaitingLane[] = []
    let isUnsplit = false
    const slices = new TimeSlices(systemClock)
    for (const row of this.#statements.all(LANES, [])) {
      // One query per lane: the event loop must run in between.
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

  /** Every corrupted waiting delivery, in slices. Reads the whole queue. */
  *corrupted(): Iterable<readonly UnreadableRecord[]> {
    let after: SqliteRow | undefined = { delivery_id: '', lane: 0 }
    while (after !== undefined) {
      const { delivery_id: id, lane } = after
      const rows = this.#statements.all(WAITING(this.#table.name), [id!, lane!])
      const unreadable = new Map<string, UnreadableRecord>()
      for (const row of rows) {
        const read = this.#read(String(row['delivery_id']), Number(row['lane']))
        if ('reason' in read) unreadable.set(read.id, read)
      }
      if (unreadable.size > 0) yield [...unreadable.values()]
      after = rows.at(-1)
    }
  }

  /** Claims the parts kept in memory, and returns the claims that end with the record. */
  #takeOver({ delivery, claimed = [] }: RecordedDelivery): ReturnType<Claims['ofDelivery']> {
    const { id, destinationId } = delivery
    const lanes = claimed.map((url) =>
      this.#lanes.numberOf(this.#table.name, { destinationId, url }),
    )
    for (const lane of lanes) this.#claims.begin({ id, lane })
    return this.#claims.ofDelivery(id, lanes)
  }

  #claim(lane: number, due: ClaimRequest['due'], limit: number): Claim<E> {
    const claimed = this.#claims.of(lane)
    // Claimed parts are still in the table.
    const ids = this.#idsIn(lane, due, limit + claimed.size)
    const free = ids.map((row) => String(row['delivery_id'])).filter((id) => !claimed.has(id))
    const read = free.slice(0, limit).map((id) => {
      this.#claims.begin({ id, lane })
      return this.#read(id, lane)
    })
    return {
      deliveries: read.filter((each) => 'delivery' in each),
      unreadable: read.filter((each) => 'reason' in each),
    }
  }

  #idsIn(lane: number, due: ClaimRequest['due'], limit: number): SqliteRow[] {
    if (due === 'held') return this.#statements.all(HELD, [lane, limit])
    if (typeof due === 'number') return this.#statements.all(DUE, [lane, due, limit])
    return this.#statements.all(LATER, [lane, due.after, limit])
  }

  #read(id: string, lane: number): ClaimedDelivery<E> | UnreadableRecord {
    const { name, select, claimedOf } = this.#table
    const [row] = this.#statements.all(`${select} WHERE ${name}.id = ?`, [id])
    if (row === undefined) return { id, reason: 'The delivery was not found in the database.' }
    return this.parts.claimedIn(lane, claimedOf(row, this.parts))
  }

  #nextDue(lane: number): number | null {
    const claimed = this.#claims.of(lane)
    const rows = this.#statements.all(NEXT_DUE, [lane, claimed.size + 1])
    const row = rows.find((each) => !claimed.has(String(each['delivery_id'])))
    return row === undefined ? null : Number(row['due_at'])
  }
}

interface PartClaim {
  readonly id: string
  readonly lane: number
}

/** The claimed parts. In memory, because only one process uses the file. */
class Claims {
  readonly #byLane = new Map<number, Set<string>>()
  /** Arrays, because a delivery has few lanes and there are many deliveries. */
  readonly #lanesOf = new Map<string, readonly number[]>()

  of(lane: number): ReadonlySet<string> {
    return this.#byLane.get(lane) ?? new Set()
  }

  begin({ id, lane }: PartClaim): void {
    const claimed = this.#byLane.get(lane)
    if (claimed?.has(id)) return
    if (claimed === undefined) this.#byLane.set(lane, new Set([id]))
    else claimed.add(id)
    // A spread would reserve room for 16 more lanes.
    this.#lanesOf.set(id, (this.#lanesOf.get(id) ?? NO_LANES).concat(lane))
  }

  ofDelivery(id: string, except: readonly number[] = NO_LANES): readonly PartClaim[] {
    const lanes = this.#lanesOf.get(id) ?? NO_LANES
    return lanes.filter((lane) => !except.includes(lane)).map((lane) => ({ id, lane }))
  }

  end(claims: readonly PartClaim[]): void {
    for (const { id, lane } of claims) {
      const claimed = this.#byLane.get(lane)
      if (!claimed?.delete(id)) continue
      if (claimed.size === 0) this.#byLane.delete(lane)
      const remaining = this.#lanesOf.get(id)!.filter((each) => each !== lane)
      if (remaining.length === 0) this.#lanesOf.delete(id)
      else this.#lanesOf.set(id, remaining)
    }
  }
}

import type { AcceptedEvent, Carried, Delivery } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { Claim, ClaimedDelivery, DeliveryQueue, RecordedDelivery } from '../../deliveries.ts'
import type { Unreadable } from '../../quarantine.ts'
import type { Row } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import type { Writer } from '../writer.ts'
import type { Claims } from './claims.ts'
import { destinationsIn } from './delivery-sql.ts'
import { type QueueRow, recordedRowsOf } from './write-delivery-queue.ts'

/** Held deliveries made pending in one write. */
const UNHOLD_SLICE = 500

/** The table that a queue is kept in: how its rows are read, and which operations write them. */
export interface QueueTable<E extends Carried> {
  readonly name: 'deliveries' | 'notices'
  /** `SELECT … FROM …`, with everything that `claimedOf` reads. */
  readonly select: string
  readonly claimedOf: (row: Row) => ClaimedDelivery<E> | Unreadable
  /** The row that `operations.record` writes. */
  readonly rowOf: (delivery: Delivery) => QueueRow
  readonly operations: {
    readonly record: 'recordDeliveries' | 'recordNotices'
    readonly unhold: 'unholdDeliveries' | 'unholdNotices'
  }
}

/** The queue of the lanes on one table. The table holds the states; `Claims` holds who works on what. */
export class SqliteDeliveryQueue<E extends Carried = AcceptedEvent> implements DeliveryQueue<E> {
  readonly #table: QueueTable<E>
  readonly #claims: Claims
  readonly #writer: Writer
  readonly #statements: Statements
  readonly #selectDue: string
  readonly #selectDestinations: string
  readonly #selectNext: string

  constructor(table: QueueTable<E>, claims: Claims, writer: Writer, reader: DatabaseSync) {
    this.#table = table
    this.#claims = claims
    this.#writer = writer
    this.#statements = new Statements(reader)
    const pending = "state = 'pending' AND destination_id = ?"
    this.#selectDue = `${table.select} WHERE ${pending} AND due_at <= ? ORDER BY due_at LIMIT ?`
    this.#selectDestinations = destinationsIn(table.name, "state = 'pending'")
    this.#selectNext = `SELECT id, due_at FROM ${table.name} WHERE ${pending} ORDER BY due_at LIMIT ?`
  }

  async record(records: readonly RecordedDelivery[]): Promise<void> {
    // Only claims that exist now: a delivery that this parks can be claimed as soon as it is durable, before
    // this resolves.
    const claimed = this.#claims.among(records.map(({ delivery }) => delivery.id))
    const { operations, rowOf } = this.#table
    await this.#writer.run(operations.record, recordedRowsOf(records, rowOf))
    this.#claims.end(claimed)
  }

  async claim(
    destinationId: string,
    { now, limit }: { readonly now: number; readonly limit: number },
  ): Promise<Claim<E>> {
    const claimed = this.#claims.of(destinationId)
    // Claimed rows are still due in the table, so as many more are selected.
    const rows = this.#statements.all(this.#selectDue, [destinationId, now, limit + claimed.size])
    const free = rows.filter(({ id }) => !claimed.has(String(id))).slice(0, limit)
    for (const { id } of free) this.#claims.begin(String(id), destinationId)
    const read = free.map(this.#table.claimedOf)
    return {
      deliveries: read.filter((each) => 'delivery' in each),
      unreadable: read.filter((each) => 'reason' in each),
    }
  }

  async release(ids: readonly string[]): Promise<void> {
    this.#claims.end(ids)
  }

  async nextDue(): Promise<ReadonlyMap<string, number>> {
    const next = new Map<string, number>()
    for (const { id } of this.#statements.all(this.#selectDestinations, [])) {
      const destinationId = String(id)
      const claimed = this.#claims.of(destinationId)
      const rows = this.#statements.all(this.#selectNext, [destinationId, claimed.size + 1])
      const row = rows.find((each) => !claimed.has(String(each['id'])))
      if (row) next.set(destinationId, Number(row['due_at']))
    }
    return next
  }

  async unhold(destinationId: string, now: number): Promise<number> {
    const slice = { destinationId, now, limit: UNHOLD_SLICE }
    for (let unheld = 0; ;) {
      const count = await this.#writer.run(this.#table.operations.unhold, slice)
      unheld += count
      if (count < UNHOLD_SLICE) return unheld
    }
  }
}

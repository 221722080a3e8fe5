import {
  type Attempt,
  type Delivery,
  type DeliveryState,
  idFrom,
  timeOfId,
  type WebhookProgress,
} from '@hookline/protocol'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type {
  Claim,
  ClaimedDelivery,
  Deliveries,
  DeliveryFilter,
  DeliveryHistory,
  RecordedDelivery,
} from '../../deliveries.ts'
import type { Page, PageRequest } from '../../page.ts'
import type { Unreadable } from '../../quarantine.ts'
import type { Claims } from './claims.ts'
import { acceptedEventOf } from '../log/event-row.ts'
import { nextDue } from './next-due.ts'
import { readJson } from '../database/read-json.ts'
import { deliveryConditions } from '../database/list-conditions.ts'
import { SCAN_CHUNK, scan } from '../database/scan.ts'
import { Statements } from '../database/statements.ts'
import { recordedRowsOf } from './write-deliveries.ts'
import type { Writer } from '../writer.ts'

type Row = Record<string, SQLOutputValue>

const DELIVERY_COLUMNS =
  'deliveries.id AS id, event_id, destination_id, state, rounds, first_due_at, due_at, webhooks, replay_id'
/** Held deliveries let go in one write. */
const UNHOLD_SLICE = 500

/** Deliveries on the tables `deliveries` and `attempts`. */
export class SqliteDeliveries implements Deliveries {
  readonly #writer: Writer
  readonly #statements: Statements
  readonly #claims: Claims

  constructor(writer: Writer, reader: DatabaseSync, claims: Claims) {
    this.#writer = writer
    this.#claims = claims
    this.#statements = new Statements(reader)
  }

  async record(records: readonly RecordedDelivery[]): Promise<void> {
    // Not those that begin before the answer is here: what this parks can be claimed as soon as it is durable.
    const claimed = this.#claims.among(records.map(({ delivery }) => delivery.id))
    await this.#writer.run('recordDeliveries', recordedRowsOf(records))
    this.#claims.end(claimed)
  }

  async claim(
    destinationId: string,
    { now, limit }: { readonly now: number; readonly limit: number },
  ): Promise<Claim> {
    const claimed = this.#claims.of(destinationId)
    const rows = this.#statements.all(
      `SELECT ${DELIVERY_COLUMNS}, source_id, marks, body
       FROM deliveries LEFT JOIN events ON events.id = deliveries.event_id
       WHERE state = 'pending' AND destination_id = ? AND due_at <= ? ORDER BY due_at LIMIT ?`,
      // Those in someone's hands are still due by the table: look past them.
      [destinationId, now, limit + claimed.size],
    )
    const free = rows.filter((row) => !claimed.has(String(row['id']))).slice(0, limit)
    for (const row of free) this.#claims.begin(String(row['id']), destinationId)
    const read = free.map(claimedOf)
    return {
      deliveries: read.filter((each) => 'delivery' in each),
      unreadable: read.filter((each) => 'reason' in each),
    }
  }

  async release(ids: readonly string[]): Promise<void> {
    this.#claims.end(ids)
  }

  async nextDue(): Promise<ReadonlyMap<string, number>> {
    return nextDue('deliveries', this.#statements, this.#claims)
  }

  async unhold(destinationId: string, now: number): Promise<number> {
    const slice = { destinationId, now, limit: UNHOLD_SLICE }
    for (let unheld = 0; ;) {
      const count = await this.#writer.run('unholdDeliveries', slice)
      unheld += count
      if (count < UNHOLD_SLICE) return unheld
    }
  }

  async find(id: string): Promise<DeliveryHistory | undefined> {
    const [row] = this.#statements.all(`SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE id = ?`, [
      id,
    ])
    return row && this.#historyOf(row)
  }

  async list(filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliveryHistory>> {
    const { where, values } = deliveryConditions(filter)
    const [least, beyond] = idsIn(filter)
    const { rows, next } = await scan<Row, string>(
      page.cursor ?? beyond,
      page.limit + 1,
      (before, limit) => {
        const from = this.#chunkBefore(before, least)
        const found = this.#statements.all(
          `SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE id >= ? AND id < ? ${where}
           ORDER BY id DESC LIMIT ?`,
          [from ?? least, before, ...values, limit],
        )
        return { rows: found, next: from }
      },
    )
    const shown = rows.slice(0, page.limit)
    return {
      data: shown.map((row) => this.#historyOf(row)),
      nextCursor: rows.length > page.limit ? String(shown.at(-1)!['id']) : next,
    }
  }

  /** The id with which the chunk of rows before an id begins; `null` where all that are left fit one. */
  #chunkBefore(before: string, least: string): string | null {
    const [row] = this.#statements.all(
      `SELECT id FROM deliveries WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ${SCAN_CHUNK}`,
      [least, before],
    )
    return row === undefined ? null : String(row['id'])
  }

  #historyOf(row: Row): DeliveryHistory {
    // What cannot be read is left out: the rest of the history is worth showing.
    const delivery = deliveryOf(
      row,
      (readJson(row['webhooks']) as WebhookProgress[] | undefined) ?? [],
    )
    const failed = this.#statements
      .all('SELECT document FROM attempts WHERE delivery_id = ?', [delivery.id])
      .flatMap(({ document }) => (readJson(document) as Attempt | undefined) ?? [])
    const delivered = delivery.webhooks
      .map(({ last }) => last)
      .filter(({ outcome }) => outcome === 'delivered')
    const attempts = [...failed, ...delivered].toSorted((a, b) => a.startedAt - b.startedAt)
    return { ...delivery, attempts, ...this.#quarantineOf(delivery) }
  }

  #quarantineOf({ id, state }: Delivery): Pick<DeliveryHistory, 'quarantine'> {
    if (state !== 'quarantined') return {}
    const [row] = this.#statements.all('SELECT reason, at FROM quarantine WHERE id = ?', [id])
    return row ? { quarantine: { reason: String(row['reason']), at: Number(row['at']) } } : {}
  }
}

/**
 * The first id that may meet the filter, and one beyond the last. The id of a delivery begins with the time in
 * the id of its event: no index by event or time is needed.
 */
function idsIn({ eventId, from, to }: DeliveryFilter): readonly [string, string] {
  const idAt = (ms: number): string => idFrom('msg', Math.max(0, ms), new Uint8Array(10))
  if (eventId !== undefined) return [idAt(timeOfId(eventId)), idAt(timeOfId(eventId) + 1)]
  return [from === undefined ? 'msg_' : idAt(from), to === undefined ? 'msg_~' : idAt(to)]
}

function claimedOf(row: Row): ClaimedDelivery | Unreadable {
  const id = String(row['id'])
  if (row['body'] === null) return { id, reason: 'Its event is not kept any more.' }
  const webhooks = readJson(row['webhooks']) as WebhookProgress[] | undefined
  if (!Array.isArray(webhooks)) {
    return { id, reason: 'Its progress in the database is not readable as JSON.' }
  }
  try {
    const event = acceptedEventOf({ ...row, id: row['event_id']! })
    return { delivery: deliveryOf(row, webhooks), event }
  } catch {
    return { id, reason: 'Its event in the database is not readable as JSON.' }
  }
}

function deliveryOf(row: Row, webhooks: readonly WebhookProgress[]): Delivery {
  return {
    id: String(row['id']),
    eventId: String(row['event_id']),
    destinationId: String(row['destination_id']),
    state: row['state'] as DeliveryState,
    rounds: Number(row['rounds']),
    firstDueAt: Number(row['first_due_at']),
    dueAt: row['due_at'] === null ? null : Number(row['due_at']),
    webhooks,
    ...(row['replay_id'] !== null && { replayId: String(row['replay_id']) }),
  }
}

import type { Carried, WebhookProgress } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { Claim, RecordedDelivery } from '../../deliveries.ts'
import type { NoticeQueue } from '../../notices.ts'
import type { SetAside } from '../../quarantine.ts'
import type { WaitingDeliveries } from '../../upkeep.ts'
import { Claims } from '../deliveries/claims.ts'
import { nextDue } from '../deliveries/next-due.ts'
import { noticeDeliveryOf, noticeOf } from './notice-row.ts'
import { readJson } from '../database/read-json.ts'
import { Statements } from '../database/statements.ts'
import { recordedNoticesOf } from './write-notices.ts'
import type { Writer } from '../writer.ts'

const UNHOLD_SLICE = 500

/** The queue of the lanes of notices, on the tables `notices` and `attempts`. */
export class SqliteNoticeQueue implements NoticeQueue {
  readonly #writer: Writer
  readonly #statements: Statements
  readonly #claims = new Claims()

  constructor(writer: Writer, reader: DatabaseSync) {
    this.#writer = writer
    this.#statements = new Statements(reader)
  }

  async record(records: readonly RecordedDelivery[]): Promise<void> {
    // As for deliveries: a claim that begins before the answer is here goes on.
    const claimed = this.#claims.among(records.map(({ delivery }) => delivery.id))
    await this.#writer.run('recordNotices', recordedNoticesOf(records))
    this.#claims.end(claimed)
  }

  async claim(
    destinationId: string,
    { now, limit }: { readonly now: number; readonly limit: number },
  ): Promise<Claim<Carried>> {
    const claimed = this.#claims.of(destinationId)
    const rows = this.#statements.all(
      `SELECT * FROM notices WHERE state = 'pending' AND destination_id = ? AND due_at <= ?
       ORDER BY due_at LIMIT ?`,
      // Those in someone's hands are still due by the table: look past them.
      [destinationId, now, limit + claimed.size],
    )
    const free = rows.filter((row) => !claimed.has(String(row['id']))).slice(0, limit)
    for (const row of free) this.#claims.begin(String(row['id']), destinationId)
    const read = free.map((row) => ({
      row,
      webhooks: readJson(row['webhooks']) as WebhookProgress[] | undefined,
    }))
    return {
      deliveries: read.flatMap(({ row, webhooks }) =>
        webhooks ? { delivery: noticeDeliveryOf(row, webhooks), event: noticeOf(row) } : [],
      ),
      unreadable: read.flatMap(({ row, webhooks }) =>
        webhooks ? [] : { id: String(row['id']), reason: UNREADABLE },
      ),
    }
  }

  async release(ids: readonly string[]): Promise<void> {
    this.#claims.end(ids)
  }

  async nextDue(): Promise<ReadonlyMap<string, number>> {
    return nextDue('notices', this.#statements, this.#claims)
  }

  async unhold(destinationId: string, now: number): Promise<number> {
    const slice = { destinationId, now, limit: UNHOLD_SLICE }
    for (let unheld = 0; ;) {
      const count = await this.#writer.run('unholdNotices', slice)
      unheld += count
      if (count < UNHOLD_SLICE) return unheld
    }
  }

  async backlog(): Promise<{ readonly waiting: readonly WaitingDeliveries[] }> {
    const waiting = this.#statements.all(
      `SELECT destination_id AS destinationId, state, COUNT(*) AS count FROM notices
       WHERE state IN ('pending', 'held') GROUP BY destination_id, state`,
      [],
    )
    return { waiting: waiting.map((row) => ({ ...row }) as unknown as WaitingDeliveries) }
  }

  async add(items: readonly SetAside[]): Promise<void> {
    const rows = items.map(({ id, reason, at }) => ({ id, reason, at }))
    await this.#writer.run('setNoticesAside', rows)
    this.#claims.end(items.map(({ id }) => id))
  }
}

const UNREADABLE = 'Its progress in the database is not readable as JSON.'

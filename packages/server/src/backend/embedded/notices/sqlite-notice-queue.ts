import type { Carried } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { NoticeQueue } from '../../notices.ts'
import type { QuarantineItem } from '../../quarantine.ts'
import type { WaitingDeliveries } from '../../upkeep.ts'
import type { StoredLanes } from '../deliveries/stored-lanes.ts'
import { SqliteDeliveryQueue } from '../deliveries/sqlite-delivery-queue.ts'
import type { Readers } from '../readers.ts'
import type { Writer } from '../writer.ts'
import { NOTICE_TABLE } from './notice-table.ts'

/** The queue of notices, on the tables `notices` and `attempts`. */
export class SqliteNoticeQueue extends SqliteDeliveryQueue<Carried> implements NoticeQueue {
  readonly #writer: Writer
  readonly #readers: Readers

  constructor(lanes: StoredLanes, writer: Writer, reader: DatabaseSync, readers: Readers) {
    super(NOTICE_TABLE, lanes, writer, reader)
    this.#writer = writer
    this.#readers = readers
  }

  async backlog(): Promise<{ readonly waiting: readonly WaitingDeliveries[] }> {
    const sql = `SELECT destination_id AS destinationId, state, COUNT(*) AS count FROM notices
      WHERE state IN ('pending', 'held') GROUP BY destination_id, state`
    const waiting = await this.#readers.run('select', { sql, values: [] })
    return { waiting: waiting.map((row) => ({ ...row }) as unknown as WaitingDeliveries) }
  }

  async add(items: readonly QuarantineItem[]): Promise<void> {
    const rows = items.map(({ id, reason, at }) => ({ id, reason, at }))
    await this.#writer.run('quarantineNotices', rows)
    await this.release(items.map(({ id }) => id))
  }
}

import type { DatabaseSync } from 'node:sqlite'
import type { NewNotice, NoticeHistory, NoticeProgress, Notices } from '../../notices.ts'
import type { Page, PageRequest } from '../../page.ts'
import { pageOf, type Row, timeOrNull } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import { attemptsOf, deliveryOf, failedAttempts } from '../deliveries/delivery-rows.ts'
import type { StoredLanes } from '../deliveries/stored-lanes.ts'
import { StoredParts } from '../deliveries/stored-parts.ts'
import type { Readers } from '../readers.ts'
import type { Writer } from '../writer.ts'
import { SELECT_NOTICES, subjectOf } from './notice-table.ts'

const PROGRESS = `SELECT source_id, destination_id, SUM(attempts) AS attempts,
    SUM(state IN ('pending', 'held')) AS waiting, SUM(state = 'delivered') AS delivered,
    SUM(state NOT IN ('pending', 'held', 'delivered')) AS failed,
    MAX(iif(state = 'delivered', ended_at, NULL)) AS notified_at
  FROM notices WHERE deletion_id = ? GROUP BY source_id, destination_id`

/** Deletion notices on the table `notices`, with their failed attempts in `attempts`. */
export class SqliteNotices implements Notices {
  readonly #writer: Writer
  readonly #readers: Readers
  readonly #statements: Statements
  readonly #parts: StoredParts

  constructor(lanes: StoredLanes, writer: Writer, reader: DatabaseSync, readers: Readers) {
    this.#parts = new StoredParts('notices', lanes)
    this.#writer = writer
    this.#readers = readers
    this.#statements = new Statements(reader)
  }

  async create(notices: readonly NewNotice[]): Promise<void> {
    await this.#writer.run('createNotices', notices)
  }

  async progress(deletionId: string): Promise<readonly NoticeProgress[]> {
    const rows = await this.#readers.run('select', { sql: PROGRESS, values: [deletionId] })
    return rows.map((row) => ({
      sourceId: String(row['source_id']),
      destinationId: String(row['destination_id']),
      counts: {
        waiting: Number(row['waiting']),
        delivered: Number(row['delivered']),
        failed: Number(row['failed']),
      },
      attempts: Number(row['attempts']),
      notifiedAt: timeOrNull(row['notified_at']),
    }))
  }

  async list(
    deletionId: string,
    { limit, cursor = '' }: PageRequest,
  ): Promise<Page<NoticeHistory>> {
    const rows = this.#statements.all(
      // The id of a notice begins with the time in the id of its deletion.
      `${SELECT_NOTICES} WHERE id > max('msg_' || substr(?1, 5, 10), ?2)
         AND id < 'msg_' || substr(?1, 5, 10) || '~' AND deletion_id = ?1 ORDER BY id LIMIT ?3`,
      [deletionId, cursor, limit + 1],
    )
    return pageOf(rows, { limit, key: 'id' }, (row) => this.#historyOf(row))
  }

  #historyOf(row: Row): NoticeHistory {
    const delivery = deliveryOf(row, this.#parts.partsIn(row['webhooks']) ?? [])
    return {
      ...delivery,
      attempts: attemptsOf(failedAttempts(this.#statements, delivery.id), this.#parts, delivery),
      sourceId: String(row['source_id']),
      subject: subjectOf(row),
    }
  }
}

import type { Attempt, WebhookProgress } from '@hookline/protocol'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { NewNotice, NoticeHistory, NoticeProgress, Notices } from '../../notices.ts'
import type { Page, PageRequest } from '../../page.ts'
import { attemptsOf, noticeDeliveryOf } from './notice-row.ts'
import { readJson } from '../database/read-json.ts'
import { Statements } from '../database/statements.ts'
import type { Writer } from '../writer.ts'

type Row = Record<string, SQLOutputValue>

/** Deletion notices on the table `notices`, with their failed attempts in `attempts`. */
export class SqliteNotices implements Notices {
  readonly #writer: Writer
  readonly #statements: Statements

  constructor(writer: Writer, reader: DatabaseSync) {
    this.#writer = writer
    this.#statements = new Statements(reader)
  }

  async create(notices: readonly NewNotice[]): Promise<void> {
    await this.#writer.run('createNotices', notices)
  }

  async progress(deletionId: string): Promise<readonly NoticeProgress[]> {
    const rows = this.#statements.all(
      `SELECT source_id, destination_id, SUM(attempts) AS attempts,
         SUM(state IN ('pending', 'held')) AS waiting, SUM(state = 'delivered') AS delivered,
         SUM(state NOT IN ('pending', 'held', 'delivered')) AS failed,
         MAX(iif(state = 'delivered', ended_at, NULL)) AS notified_at
       FROM notices WHERE deletion_id = ? GROUP BY source_id, destination_id`,
      [deletionId],
    )
    return rows.map((row) => ({
      sourceId: String(row['source_id']),
      destinationId: String(row['destination_id']),
      counts: {
        waiting: Number(row['waiting']),
        delivered: Number(row['delivered']),
        failed: Number(row['failed']),
      },
      attempts: Number(row['attempts']),
      notifiedAt: row['notified_at'] === null ? null : Number(row['notified_at']),
    }))
  }

  async list(
    deletionId: string,
    { limit, cursor = '' }: PageRequest,
  ): Promise<Page<NoticeHistory>> {
    const rows = this.#statements.all(
      // The id of a notice begins with the time in the id of its deletion.
      `SELECT * FROM notices WHERE id > max('msg_' || substr(?1, 5, 10), ?2)
         AND id < 'msg_' || substr(?1, 5, 10) || '~' AND deletion_id = ?1 ORDER BY id LIMIT ?3`,
      [deletionId, cursor, limit + 1],
    )
    const shown = rows.slice(0, limit)
    return {
      data: shown.map((row) => this.#historyOf(row)),
      nextCursor: rows.length > limit ? String(shown.at(-1)!['id']) : null,
    }
  }

  #historyOf(row: Row): NoticeHistory {
    const webhooks = (readJson(row['webhooks']) as WebhookProgress[] | undefined) ?? []
    const failed = this.#statements
      .all('SELECT document FROM attempts WHERE delivery_id = ?', [row['id']!])
      .flatMap(({ document }) => (readJson(document) as Attempt | undefined) ?? [])
    return {
      ...noticeDeliveryOf(row, webhooks),
      attempts: attemptsOf(webhooks, failed),
      sourceId: String(row['source_id']),
      userId: String(row['user_id']),
    }
  }
}

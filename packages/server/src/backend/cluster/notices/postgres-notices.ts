import { sql } from 'kysely'
import type { NewNotice, NoticeHistory, NoticeProgress, Notices } from '../../notices.ts'
import type { Page, PageRequest } from '../../page.ts'
import { attemptsOf, deliveryOf, failedAttempts } from '../deliveries/rows/delivery-rows.ts'
import type { PostgresLanes } from '../deliveries/rows/postgres-lanes.ts'
import { StoredParts } from '../deliveries/rows/stored-parts.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { pageOf } from '../../store/rows.ts'
import { fromText, toText } from '../postgres/text.ts'
import { type NoticeRow, SELECT_NOTICES, subjectOf } from './notice-table.ts'
import { createNotices } from './write-notices.ts'

interface ProgressRow {
  readonly source_id: string
  readonly destination_id: string
  readonly attempts: number
  readonly waiting: number
  readonly delivered: number
  readonly failed: number
  readonly notified_at: number | null
}

/** Deletion notices on the table `notices`, with their failed attempts in `attempts`. */
export class PostgresNotices implements Notices {
  readonly #postgres: Postgres
  readonly #parts: StoredParts

  constructor(postgres: Postgres, lanes: PostgresLanes) {
    this.#postgres = postgres
    this.#parts = new StoredParts('notices', lanes)
  }

  create(notices: readonly NewNotice[]): Promise<void> {
    return this.#postgres.write((transaction) => createNotices(transaction, notices))
  }

  async progress(deletionId: string): Promise<readonly NoticeProgress[]> {
    const rows = await this.#postgres.run(sql<ProgressRow>`
      SELECT source_id, destination_id, sum(attempts)::bigint AS attempts,
        count(*) FILTER (WHERE state IN ('pending', 'held')) AS waiting,
        count(*) FILTER (WHERE state = 'delivered') AS delivered,
        count(*) FILTER (WHERE state NOT IN ('pending', 'held', 'delivered')) AS failed,
        max(ended_at) FILTER (WHERE state = 'delivered') AS notified_at
      FROM notices WHERE deletion_id = ${toText(deletionId)}
      GROUP BY source_id, destination_id ORDER BY source_id, destination_id`)
    return rows.map((row) => ({
      sourceId: fromText(row.source_id),
      destinationId: fromText(row.destination_id),
      counts: { waiting: row.waiting, delivered: row.delivered, failed: row.failed },
      attempts: row.attempts,
      notifiedAt: row.notified_at,
    }))
  }

  async list(
    deletionId: string,
    { limit, cursor = '' }: PageRequest,
  ): Promise<Page<NoticeHistory>> {
    const rows = await this.#postgres.run(sql<NoticeRow>`
      ${SELECT_NOTICES} WHERE deletion_id = ${toText(deletionId)} AND id > ${toText(cursor)}
      ORDER BY id LIMIT ${limit + 1}`)
    await this.#parts.know(rows.map(({ webhooks }) => webhooks))
    const ids = rows.map((row) => row.delivery_id)
    const documents = await this.#postgres.read((db) => failedAttempts(db, ids))
    await this.#parts.know([...documents.values()].flat())
    const cursorOf = (row: NoticeRow): string => row.delivery_id
    return pageOf(rows, { limit, cursorOf }, (row) =>
      this.#historyOf(row, documents.get(row.delivery_id) ?? []),
    )
  }

  #historyOf(row: NoticeRow, documents: readonly string[]): NoticeHistory {
    const delivery = deliveryOf(row, this.#parts.partsIn(row.webhooks) ?? [])
    return {
      ...delivery,
      attempts: attemptsOf(documents, this.#parts, delivery),
      sourceId: fromText(row.source_id),
      subject: subjectOf(row),
    }
  }
}

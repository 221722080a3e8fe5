import { type RawBuilder, sql } from 'kysely'
import { type SecretBox, SecretBoxError } from '../../../util/secrets/secret-box.ts'
import type { Audit, AuditEntry, AuditFilter } from '../../audit.ts'
import type { Page, PageRequest } from '../../page.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { pageOf } from '../postgres/rows.ts'
import { fromText, toText } from '../postgres/text.ts'
import type { AuditWriter } from './audit-writer.ts'

export interface PostgresAuditOptions {
  readonly postgres: Postgres
  readonly box: SecretBox
  readonly audit: AuditWriter
}

interface Row {
  readonly seq: number
  readonly id: string
  readonly at: number
  readonly actor_id: string
  readonly action: string
  readonly target_id: string | null
  readonly sealed: string
}

/** How many entries one call removes. */
const SLICE_ENTRIES = 500

/** The audit log in the table `audit`. */
export class PostgresAudit implements Audit {
  readonly #options: PostgresAuditOptions

  constructor(options: PostgresAuditOptions) {
    this.#options = options
  }

  append(entry: AuditEntry): Promise<void> {
    const { postgres, audit } = this.#options
    return postgres.write((transaction) => audit(transaction, entry))
  }

  async removeBefore(time: number): Promise<number> {
    const removed = await this.#options.postgres.run(sql`
      DELETE FROM audit WHERE seq IN (
        SELECT seq FROM audit WHERE at < ${time} ORDER BY at LIMIT ${SLICE_ENTRIES} FOR UPDATE SKIP LOCKED)
      RETURNING seq`)
    return removed.length
  }

  async list(filter: AuditFilter, { limit, cursor }: PageRequest): Promise<Page<AuditEntry>> {
    const conditions = [
      sql`seq < ${Number(cursor ?? Number.MAX_SAFE_INTEGER)}`,
      ...conditionsOf(filter),
    ]
    const rows = await this.#options.postgres.run(sql<Row>`
      SELECT * FROM audit WHERE ${sql.join(conditions, sql` AND `)} ORDER BY seq DESC LIMIT ${limit + 1}`)
    return pageOf(rows, { limit, cursorOf: ({ seq }) => String(seq) }, (row) => this.#entryOf(row))
  }

  #entryOf(row: Row): AuditEntry {
    try {
      return JSON.parse(this.#options.box.open(row.sealed, fromText(row.id))) as AuditEntry
    } catch (error) {
      if (error instanceof SecretBoxError || error instanceof SyntaxError)
        return unreadableEntry(row)
      throw error
    }
  }
}

function conditionsOf({ actorId, action, targetId }: AuditFilter): RawBuilder<unknown>[] {
  return [
    ...(actorId === undefined ? [] : [sql`actor_id = ${toText(actorId)}`]),
    ...(action === undefined ? [] : [sql`action = ${toText(action)}`]),
    ...(targetId === undefined ? [] : [isTarget(toText(targetId))]),
  ]
}

/** The index has how a target begins, which is most of them as a whole. */
function isTarget(targetId: string): RawBuilder<unknown> {
  return sql`left(target_id, 100) = left(${targetId}, 100) AND target_id = ${targetId}`
}

/** What the columns say of an entry that cannot be opened. */
function unreadableEntry(row: Row): AuditEntry {
  return {
    id: fromText(row.id),
    at: row.at,
    actor: { id: fromText(row.actor_id), name: '', role: '' },
    action: fromText(row.action),
    targetId: row.target_id === null ? null : fromText(row.target_id),
    before: null,
    after: null,
    requestId: '',
    isUnreadable: true,
  }
}

import { sql } from 'kysely'
import type { AuditEntry } from '../../audit.ts'
import type {
  LeftOutCalls,
  Subject,
  Suppression,
  SuppressionRecord,
  Suppressions,
} from '../../deletions.ts'
import type { Page, PageRequest } from '../../page.ts'
import type { AuditWriter } from '../postgres/postgres-store.ts'
import type { ChangeFeed } from '../changes/change-feed.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { pageOf } from '../../store/rows.ts'
import { fromText, toText } from '../postgres/text.ts'
import { EVERY_SOURCE, SuppressedUsers } from './suppressed-users.ts'
import { addSuppressions, endSuppressions } from './write-suppressions.ts'

export interface PostgresSuppressionsOptions {
  readonly postgres: Postgres
  readonly audit: AuditWriter
  readonly feed: ChangeFeed
}

/** Suppressions on the table `suppressions`. Each node has all of them in memory, and follows the changes of the others. */
export class PostgresSuppressions implements Suppressions {
  readonly #options: PostgresSuppressionsOptions
  readonly #users: SuppressedUsers

  private constructor(options: PostgresSuppressionsOptions) {
    this.#options = options
    this.#users = new SuppressedUsers(options.postgres)
  }

  /** Reads all of them. */
  static async open(options: PostgresSuppressionsOptions): Promise<PostgresSuppressions> {
    const opened = new PostgresSuppressions(options)
    await opened.#users.refresh()
    options.feed.on('suppressions', () => opened.#users.refresh())
    return opened
  }

  has(sourceId: string, kind: Subject['kind'], id: string): boolean {
    return this.#users.has(sourceId, kind, id)
  }

  async add(suppressions: readonly Suppression[]): Promise<void> {
    const { postgres, feed } = this.#options
    await postgres.write(async (transaction) => {
      await addSuppressions(transaction, suppressions)
      await feed.tell(transaction, 'suppressions')
    })
    await this.#follow()
  }

  async countLeftOut({ sourceId, users, at }: LeftOutCalls): Promise<void> {
    const kinds = users.map(({ kind }) => kind)
    const ids = users.map(({ id }) => toText(id))
    const calls = users.map((each) => each.calls)
    await this.#options.postgres.write((transaction) =>
      sql`UPDATE suppressions SET calls_left_out = calls_left_out + left_out.calls, last_left_out_at = ${at}
        FROM unnest(${kinds}::text[], ${ids}::text[], ${calls}::bigint[]) AS left_out (kind, id, calls)
        WHERE suppressions.user_id = left_out.id AND suppressions.kind = left_out.kind
          AND source_id IN (${toText(sourceId)}, ${EVERY_SOURCE})`.execute(transaction),
    )
  }

  async remove(user: Subject, audit?: AuditEntry): Promise<boolean> {
    const { postgres, feed } = this.#options
    const wasThere = await postgres.write(async (transaction) => {
      if (!(await endSuppressions(transaction, user))) return false
      await this.#options.audit(transaction, audit)
      await feed.tell(transaction, 'suppressions')
      return true
    })
    await this.#follow()
    return wasThere
  }

  async find(
    user: Subject,
    limit: number,
  ): Promise<{ readonly data: readonly SuppressionRecord[]; readonly count: number }> {
    const rows = await this.#options.postgres.run(sql<Row & { readonly count: number }>`
      SELECT *, count(*) OVER () AS count FROM suppressions WHERE ${isOf(user)}
      ORDER BY seq DESC LIMIT ${limit}`)
    return { data: rows.map(suppressionOf), count: rows[0]?.count ?? 0 }
  }

  async list(
    { user }: { readonly user?: Subject },
    { limit, cursor }: PageRequest,
  ): Promise<Page<SuppressionRecord>> {
    const before = Number(cursor ?? Number.MAX_SAFE_INTEGER)
    const rows = await this.#options.postgres.run(sql<Row>`
      SELECT * FROM suppressions WHERE seq < ${before} AND ${user ? isOf(user) : sql`TRUE`}
      ORDER BY seq DESC LIMIT ${limit + 1}`)
    return pageOf(rows, { limit, cursorOf: ({ seq }) => String(seq) }, suppressionOf)
  }

  /** This node and the others have in memory what was committed. */
  async #follow(): Promise<void> {
    await this.#users.refresh()
    await this.#options.feed.spread('suppressions')
  }
}

interface Row {
  readonly seq: number
  readonly kind: Subject['kind']
  readonly user_id: string
  readonly source_id: string
  readonly since: number
  readonly deletion_id: string
  readonly calls_left_out: number
  readonly last_left_out_at: number | null
}

function isOf({ kind, id }: Subject) {
  return sql<boolean>`(user_id = ${toText(id)} AND kind = ${kind})`
}

function suppressionOf(row: Row): SuppressionRecord {
  return {
    kind: row.kind,
    id: fromText(row.user_id),
    sourceId: row.source_id === EVERY_SOURCE ? null : fromText(row.source_id),
    since: row.since,
    deletionId: row.deletion_id,
    callsLeftOut: row.calls_left_out,
    lastLeftOutAt: row.last_left_out_at,
  }
}

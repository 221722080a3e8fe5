import { type RawBuilder, sql } from 'kysely'
import type { AuditEntry } from '../../audit.ts'
import type { Catalog } from '../../catalog.ts'
import type {
  AnnouncedUser,
  ChangeCounts,
  Member,
  Memberships,
  Preview,
  PreviewQuery,
} from '../../memberships.ts'
import type { Page, PageRequest } from '../../page.ts'
import type { AuditWriter } from '../postgres/postgres-store.ts'
import { numberOf } from '../evaluations/computation-numbers.ts'
import { jsonIn } from '../evaluations/trait-values.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { pageOf } from '../../store/rows.ts'
import { fromText, toText } from '../postgres/text.ts'
import { changeList, type ListChange } from './change-list.ts'
import { forgetComputation } from './forget-computation.ts'
import { previewAudience } from './preview-audience.ts'

export interface PostgresMembershipsOptions {
  readonly postgres: Postgres
  readonly audit: AuditWriter
  /** Knows the spaces of sources. */
  readonly catalog: Pick<Catalog, 'current'>
}

/** Memberships on the tables `results`, `announced` and `listed_users`. */
export class PostgresMemberships implements Memberships {
  readonly #postgres: Postgres
  readonly #audit: AuditWriter
  readonly #catalog: Pick<Catalog, 'current'>

  constructor({ postgres, audit, catalog }: PostgresMembershipsOptions) {
    this.#postgres = postgres
    this.#audit = audit
    this.#catalog = catalog
  }

  async sizes(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#postgres.run(
      sql<{ readonly id: string; readonly size: number }>`SELECT id, size FROM computations`,
    )
    return new Map(rows.map(({ id, size }) => [id, size]))
  }

  async list(computationId: string, { limit, cursor = '0' }: PageRequest): Promise<Page<Member>> {
    const rows = await this.#postgres.run(sql<{
      readonly profile: number
      readonly value: string
      readonly since: number
      readonly user_id: string | null
    }>`
      SELECT profile, value, since, (
        SELECT id FROM profile_ids AS i WHERE i.profile = results.profile AND kind = 'user' AND is_seen
        ORDER BY id LIMIT 1) AS user_id
      FROM results WHERE computation = ${numberOf(computationId)} AND profile > ${Number(cursor)}
      ORDER BY profile LIMIT ${limit + 1}`)
    return pageOf(rows, { limit, cursorOf: ({ profile }) => String(profile) }, (row) => ({
      userId: row.user_id === null ? null : fromText(row.user_id),
      value: jsonIn(row.value) ?? null,
      since: row.since,
    }))
  }

  changes(computationId: string, since: number): Promise<readonly ChangeCounts[]> {
    return this.#postgres.run(sql<ChangeCounts>`
      SELECT start, entered, went AS left FROM computation_changes
      WHERE computation = ${numberOf(computationId)} AND start >= ${since} ORDER BY start`)
  }

  async announced(
    computationId: string,
    after: string,
    limit: number,
  ): Promise<readonly AnnouncedUser[]> {
    const rows = await this.#postgres.run(sql<
      Omit<AnnouncedUser, 'value'> & { readonly value: string }
    >`
      SELECT user_id AS "userId", value, number, at FROM announced
      WHERE computation = ${numberOf(computationId)} AND ${isUserAfter(after)}
      ORDER BY ${USER_ORDER} LIMIT ${limit}`)
    return rows.map((row) => ({
      ...row,
      userId: fromText(row.userId),
      value: jsonIn(row.value) ?? null,
    }))
  }

  changeList(
    list: Pick<ListChange, 'audienceId' | 'space'>,
    change: Pick<ListChange, 'add' | 'remove' | 'at'>,
    entry?: AuditEntry,
  ): Promise<void> {
    return this.#postgres.write(async (transaction) => {
      await changeList(transaction, { ...list, ...change })
      await this.#audit(transaction, entry)
    })
  }

  async listed(
    audienceId: string,
    { limit, cursor = '' }: PageRequest,
  ): Promise<Page<{ readonly userId: string }>> {
    const rows = await this.#postgres.run(sql<{ readonly user_id: string }>`
      SELECT user_id FROM listed_users
      WHERE computation = ${numberOf(audienceId)} AND ${isUserAfter(cursor)}
      ORDER BY ${USER_ORDER} LIMIT ${limit + 1}`)
    const cursorOf = (row: { readonly user_id: string }): string => fromText(row.user_id)
    return pageOf(rows, { limit, cursorOf }, (row) => ({ userId: fromText(row.user_id) }))
  }

  preview(query: PreviewQuery): Promise<Preview> {
    return previewAudience(this.#postgres, { ...query, sources: this.#catalog.current.sources })
  }

  forget(computationId: string): Promise<boolean> {
    return this.#postgres.write((transaction) => forgetComputation(transaction, computationId))
  }
}

/** Rows of a computation in the order of userIds. The index has how they begin, because they can be long. */
const USER_ORDER = sql`left(user_id, 500), user_id`

function isUserAfter(userId: string): RawBuilder<unknown> {
  const text = sql`${toText(userId)}::text`
  return sql`(${USER_ORDER}) > (left(${text}, 500), ${text})`
}

import { type RawBuilder, sql } from 'kysely'
import type { AuditEntry } from '../../audit.ts'
import type { AnnouncedUser, ChangeCounts, Member, Memberships } from '../../memberships.ts'
import type { Page, PageRequest } from '../../page.ts'
import { pageOf } from '../../store/rows.ts'
import type { AuditWriter } from '../postgres/postgres-store.ts'
import { lockedNumbers, numberOf } from '../evaluations/computation-numbers.ts'
import type { Connection, Postgres } from '../postgres/postgres.ts'
import { fromText, jsonIn, toText } from '../postgres/text.ts'
import { openProfiles } from '../profiles/load-profiles.ts'
import { lockProfiles } from '../profiles/profiles-state.ts'
import { saveProfiles } from '../profiles/save-profiles.ts'

/** Memberships on the tables `results`, `announced` and `listed_users`. */
export class PostgresMemberships implements Memberships {
  readonly #postgres: Postgres
  readonly #audit: AuditWriter

  constructor(postgres: Postgres, audit: AuditWriter) {
    this.#postgres = postgres
    this.#audit = audit
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

/** Rows that one call removes. */
const FORGET_ROWS = 2_000

/** What belongs to a computation: the tables, and the column that tells its rows apart. */
const COMPUTATION_TABLES = [
  ['results', 'profile'],
  ['announced', 'user_id'],
  ['listed_users', 'user_id'],
  ['computation_changes', 'start'],
] as const

/** Removes some of what belongs to a computation that is gone. Returns whether there may be more. */
async function forgetComputation(transaction: Connection, computationId: string): Promise<boolean> {
  await sql`DELETE FROM syncs WHERE computation = ${computationId}`.execute(transaction)
  // Locked: no evaluation that is being committed adds a row behind the last one.
  const { rows } = await sql<{ readonly number: number }>`
    SELECT number FROM computations WHERE id = ${computationId} FOR UPDATE`.execute(transaction)
  const [computation] = rows
  if (computation === undefined) return false
  for (const [table, column] of COMPUTATION_TABLES)
    if (await removeSome(transaction, { table, column, ...computation })) return true
  await sql`DELETE FROM computations WHERE number = ${computation.number}`.execute(transaction)
  return false
}

async function removeSome(
  transaction: Connection,
  {
    table,
    column,
    number,
  }: { readonly table: string; readonly column: string; readonly number: number },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM ${sql.id(table)} WHERE computation = ${number} AND ${sql.id(column)} IN (
      SELECT ${sql.id(column)} FROM ${sql.id(table)} WHERE computation = ${number} LIMIT ${FORGET_ROWS})`.execute(
    transaction,
  )
  return numAffectedRows > 0n
}

interface ListChange {
  readonly audienceId: string
  readonly space: string
  readonly add: readonly string[]
  readonly remove: readonly string[]
  readonly at: number
}

/** Changes the list of a manual audience. Each user on it has a profile. */
async function changeList(
  transaction: Connection,
  { audienceId, space, add, remove, at }: ListChange,
): Promise<void> {
  // The order in which all lock: whoever makes profiles, the profiles, the audience.
  await lockProfiles(transaction)
  const named = [...add, ...remove].map((id) => ({ space, kind: 'user' as const, id }))
  const profiles = await openProfiles(transaction, { ids: named, withTraits: [] })
  const audience = (await lockedNumbers(transaction, [audienceId])).get(audienceId)!
  const changed = [
    ...(await drop(transaction, audience, remove)),
    ...(await put(transaction, audience, add)),
  ]
  for (const id of changed) profiles.touch(profiles.require({ space, kind: 'user', id }, true))
  await saveProfiles(transaction, profiles, at)
}

/** Returns those who were on the list. */
async function drop(
  transaction: Connection,
  audience: number,
  userIds: readonly string[],
): Promise<readonly string[]> {
  if (userIds.length === 0) return []
  const { rows } = await sql<{ readonly user_id: string }>`
    DELETE FROM listed_users
    WHERE computation = ${audience} AND user_id = ANY (${userIds.map(toText)}::text[])
    RETURNING user_id`.execute(transaction)
  return rows.map((row) => fromText(row.user_id))
}

/**
 * Returns those who were not on the list. The audience is locked, which keeps users unique on it: an id may be longer than a
 * unique index takes. OFFSET: each is looked up by the index, and not all users of the list are read.
 */
async function put(
  transaction: Connection,
  audience: number,
  userIds: readonly string[],
): Promise<readonly string[]> {
  if (userIds.length === 0) return []
  const { rows } = await sql<{ readonly user_id: string }>`
    INSERT INTO listed_users (computation, user_id)
    SELECT DISTINCT ${audience}::bigint, new.user_id FROM unnest(${userIds.map(toText)}::text[]) AS new (user_id)
    WHERE NOT EXISTS (
      SELECT FROM listed_users AS listed
      WHERE listed.user_id = new.user_id AND listed.computation = ${audience} OFFSET 0)
    RETURNING user_id`.execute(transaction)
  return rows.map((row) => fromText(row.user_id))
}

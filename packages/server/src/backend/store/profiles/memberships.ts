import type { AnnouncedUser, ChangeCounts, Memberships } from '../../memberships.ts'
import { numberIn } from '../../page.ts'
import { pageOf, parsedJson, timeOf } from '../rows.ts'
import { rawSql, sql, type Statement } from '../sql.ts'
import type { Store, Tx } from '../store.ts'
import { lockedNumbers } from './evaluations.ts'
import { OpenIdentities, touchProfiles } from './identities.ts'
import { lockProfiles } from './lock-profiles.ts'

/** Rows that one call of `forget` removes. */
const FORGET_ROWS = 2_000

/** Memberships in the tables `results`, `announced` and `listed_users`. */
export function storedMemberships(store: Store): Memberships {
  return {
    async sizes() {
      const rows = await store.lookUp(
        sql<{ readonly id: string; readonly size: number }>`SELECT id, size FROM computations`,
      )
      return new Map(rows.map(({ id, size }) => [id, size]))
    },

    async list(computationId, { limit, cursor = '0' }) {
      const rows = await store.list(sql<MemberRow>`
        SELECT profile, value, since, (
          SELECT min(name) FROM identities
          WHERE identities.profile = results.profile AND kind = 'user' AND is_seen) AS user_id
        FROM results WHERE computation = ${numberOf(computationId)} AND profile > ${numberIn(cursor)}
        ORDER BY profile LIMIT ${limit + 1}`)
      return pageOf(rows, { limit, cursorOf: ({ profile }) => String(profile) }, (row) => ({
        userId: row.user_id,
        value: parsedJson(row.value) ?? null,
        since: timeOf(row.since),
      }))
    },

    async changes(computationId, since) {
      const rows = await store.lookUp(sql<Omit<ChangeCounts, 'left'> & { went: number }>`
        SELECT start, entered, went FROM computation_changes
        WHERE computation = ${numberOf(computationId)} AND start >= ${since} ORDER BY start`)
      return rows.map(({ start, entered, went }) => ({ start: timeOf(start), entered, left: went }))
    },

    async announced(computationId, after, limit) {
      const rows = await store.list(sql<AnnouncedRow>`
        SELECT user_id, value, number, at FROM announced
        WHERE computation = ${numberOf(computationId)} AND ${isUserAfter(after)}
        ORDER BY ${USER_ORDER} LIMIT ${limit}`)
      return rows.map(({ user_id: userId, value, ...rest }) => {
        return { userId, value: parsedJson(value) ?? null, ...rest }
      })
    },

    changeList: (list, change, audit) => store.write(changeList, { ...list, ...change }, { audit }),

    async listed(audienceId, { limit, cursor = '' }) {
      const rows = await store.list(sql<{ readonly userId: string }>`
        SELECT user_id AS "userId" FROM listed_users
        WHERE computation = ${numberOf(audienceId)} AND ${isUserAfter(cursor)}
        ORDER BY ${USER_ORDER} LIMIT ${limit + 1}`)
      return pageOf(rows, { limit, cursorOf: ({ userId }) => userId }, ({ userId }) => ({ userId }))
    },

    forget: (computationId) => store.write(forgetComputation, computationId),
  }
}

interface MemberRow {
  readonly profile: number
  readonly value: string
  readonly since: number
  readonly user_id: string | null
}

interface AnnouncedRow extends Pick<AnnouncedUser, 'number' | 'at'> {
  readonly user_id: string
  readonly value: string
}

function numberOf(computationId: string): Statement {
  return sql`(SELECT number FROM computations WHERE id = ${computationId})`
}

/** Rows of a computation in the order of userIds. The index has how they begin, because they can be long. */
const USER_ORDER = sql`substr(user_id, 1, 500), user_id`

function isUserAfter(userId: string): Statement {
  const beginning = sql`substr(CAST(${userId} AS text), 1, 500)`
  return sql`substr(user_id, 1, 500) >= ${beginning}
    AND (substr(user_id, 1, 500) > ${beginning} OR user_id > ${userId})`
}

interface ListChange {
  readonly audienceId: string
  readonly space: string
  readonly add: readonly string[]
  readonly remove: readonly string[]
  readonly at: number
}

/** Changes the list of a manual audience. Each user on it has an identity. */
export async function changeList(
  tx: Tx,
  { audienceId, space, add, remove, at }: ListChange,
): Promise<void> {
  // The order in which all lock: whoever makes identities or changes a list, the profiles, the audience.
  await lockProfiles(tx)
  const given = tx.dialect.given({ id: ['text', [...add, ...remove]] })
  const rows = await tx.all(sql<{ readonly user_id: string }>`
    SELECT user_id FROM listed_users
    WHERE computation = ${numberOf(audienceId)} AND user_id IN (SELECT id FROM ${given})`)
  const listed = new Set(rows.map(({ user_id: userId }) => userId))
  const added = new Set(add)
  const dropped = remove.filter((userId) => listed.has(userId) && !added.has(userId))
  const put = [...added].filter((userId) => !listed.has(userId))
  const changed = [...dropped, ...put].map((id) => ({ space, kind: 'user' as const, id }))
  const open = await OpenIdentities.open(tx, { named: changed, at })
  const audience = (await lockedNumbers(tx, [audienceId])).get(audienceId)!
  await tx.run(sql`
    DELETE FROM listed_users WHERE computation = ${audience}
    AND user_id IN (SELECT id FROM ${tx.dialect.given({ id: ['text', dropped] })})`)
  await tx.run(sql`
    INSERT INTO listed_users (computation, user_id)
    SELECT CAST(${audience} AS bigint), id FROM ${tx.dialect.given({ id: ['text', put] })}`)
  for (const named of changed) {
    open.require(named, true)
    open.touch(named)
  }
  await touchProfiles(tx, await open.save(tx), at)
}

/** Removes some of what belongs to a computation that is gone. Resolves to whether there may be more. */
export async function forgetComputation(tx: Tx, computationId: string): Promise<boolean> {
  await tx.run(sql`DELETE FROM syncs WHERE computation = ${computationId}`)
  // Locked: no evaluation that is being committed adds a row behind the last one.
  const [computation] = await tx.all(sql<{ readonly number: number }>`
    SELECT number FROM computations WHERE id = ${computationId} ${tx.dialect.forUpdate}`)
  if (computation === undefined) return false
  const { number } = computation
  for (const [table, key] of [
    ['results', 'profile'],
    ['announced', 'user_id'],
    ['listed_users', 'user_id'],
    ['computation_changes', 'start'],
  ] as const) {
    const some = sql`SELECT ${rawSql(key)} FROM ${rawSql(table)} WHERE computation = ${number} LIMIT ${FORGET_ROWS}`
    const removed = await tx.run(
      sql`DELETE FROM ${rawSql(table)} WHERE computation = ${number} AND ${rawSql(key)} IN (${some})`,
    )
    if (removed > 0) return true
  }
  await tx.run(sql`DELETE FROM computations WHERE number = ${number}`)
  return false
}

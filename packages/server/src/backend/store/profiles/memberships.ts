import type { AnnouncedUser, Member, Memberships } from '../../memberships.ts'
import { numberIn } from '../../page.ts'
import { pageOf, parsedJson, timeOf } from '../rows.ts'
import { rawSql, sql, type Statement } from '../sql.ts'
import type { Store, Tx } from '../store.ts'
import { lockedNumbers } from './evaluations.ts'
import { OpenIdentities, touchProfiles } from './identities.ts'
import { lockProfiles } from './lock-profiles.ts'

const FORGET_ROWS = 2_000

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
          WHERE identities.profile = results.profile AND kind = 'user' AND is_seen) AS "userId"
        FROM results WHERE computation = ${numberOf(computationId)} AND profile > ${numberIn(cursor)}
        ORDER BY profile LIMIT ${limit + 1}`)
      return pageOf(rows, { limit, cursorOf: ({ profile }) => String(profile) }, (row) => ({
        userId: row.userId,
        value: parsedJson(row.value) ?? null,
        since: timeOf(row.since),
      }))
    },

    async announced(computationId, after, limit) {
      const rows = await store.list(sql<Omit<AnnouncedUser, 'value'> & { value: string }>`
        SELECT user_id AS "userId", value, number, at FROM announced
        WHERE computation = ${numberOf(computationId)} AND ${isUserAfter(after)}
        ORDER BY ${USER_ORDER} LIMIT ${limit}`)
      return rows.map((row) => ({ ...row, value: parsedJson(row.value) ?? null }))
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

interface MemberRow extends Omit<Member, 'value'> {
  readonly profile: number
  readonly value: string
}

function numberOf(computationId: string): Statement {
  return sql`(SELECT number FROM computations WHERE id = ${computationId})`
}

/** The order of userIds. They can be long, so the index has prefixes. */
const USER_ORDER = sql`substr(user_id, 1, 500), user_id`

function isUserAfter(userId: string): Statement {
  const beginning = sql`substr(CAST(${userId} AS text), 1, 500)`
  return sql`substr(user_id, 1, 500) >= ${beginning}
    AND (substr(user_id, 1, 500) > ${beginning} OR user_id > ${userId})`
}

type ChangeList = Parameters<Memberships['changeList']>

/** Changes the list of a manual audience, and creates identities for new users. */
export async function changeList(
  tx: Tx,
  { audienceId, space, add, remove, at }: ChangeList[0] & ChangeList[1],
) {
  await lockProfiles(tx)
  const rows = await tx.all(sql<{ readonly user_id: string }>`
    SELECT user_id FROM listed_users
    WHERE computation = ${numberOf(audienceId)} AND user_id ${tx.dialect.among([...add, ...remove])}`)
  const listed = new Set(rows.map(({ user_id: userId }) => userId))
  const added = new Set(add)
  const dropped = remove.filter((userId) => listed.has(userId) && !added.has(userId))
  const newUserIds = [...added].filter((userId) => !listed.has(userId))
  const changed = [...dropped, ...newUserIds].map((id) => ({ space, kind: 'user' as const, id }))
  const open = await OpenIdentities.open(tx, { named: changed, at })
  const audience = (await lockedNumbers(tx, [audienceId])).get(audienceId)!
  await tx.run(sql`
    DELETE FROM listed_users WHERE computation = ${audience} AND user_id ${tx.dialect.among(dropped)}`)
  const entries = newUserIds.map((userId) => ({ computation: audience, userId }))
  const input = tx.dialect.rows(entries, { text: ['userId'], number: ['computation'] })
  await tx.run(sql`
    INSERT INTO listed_users (computation, user_id) SELECT computation, user_id FROM ${input}`)
  for (const named of changed) {
    open.numberOf(named, true)
    open.touch(named)
  }
  await touchProfiles(tx, await open.save(tx), at)
}

export async function forgetComputation(tx: Tx, computationId: string): Promise<boolean> {
  await tx.run(sql`DELETE FROM syncs WHERE computation = ${computationId}`)
  // Locked, so that no concurrent evaluation adds a row.
  const [computation] = await tx.all(sql<{ readonly number: number }>`
    SELECT number FROM computations WHERE id = ${computationId} ${tx.dialect.forUpdate}`)
  if (computation === undefined) return false
  const { number } = computation
  for (const [table, key] of [
    ['results', 'profile'],
    ['announced', 'user_id'],
    ['listed_users', 'user_id'],
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

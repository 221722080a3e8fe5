import { sql } from 'kysely'
import { lockedNumbers } from '../evaluations/computation-numbers.ts'
import type { Connection } from '../postgres/postgres.ts'
import { fromText, toText } from '../postgres/text.ts'
import { openProfiles } from '../profiles/load-profiles.ts'
import { lockProfiles } from '../profiles/profiles-state.ts'
import { saveProfiles } from '../profiles/save-profiles.ts'

export interface ListChange {
  readonly audienceId: string
  readonly space: string
  readonly add: readonly string[]
  readonly remove: readonly string[]
  readonly at: number
}

/** Changes the list of a manual audience. Each user on it has a profile. */
export async function changeList(
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

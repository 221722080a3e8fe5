import { sql } from 'kysely'
import type { SpacedId } from '../../profile-rules.ts'
import type { ProfileId } from '../../profiles.ts'
import type { Connection } from '../postgres/postgres.ts'
import { fromText } from '../postgres/text.ts'
import { findIds } from './find-ids.ts'
import { spacesOf } from './spaces-of.ts'

/** A user of a profile that was removed, or that was to be. */
export interface RemovedUser {
  readonly space: string
  readonly id: string
}

/** What to remove: ids, in the spaces of these sources; `null`: in every space. */
interface WantedIds {
  readonly ids: readonly ProfileId[]
  readonly sourceIds: readonly string[] | null
}

/** What was removed. */
interface Removed {
  /** Where it was looked for. */
  readonly spaces: readonly string[]
  /** The users of the profiles that are gone. */
  readonly users: readonly RemovedUser[]
}

/**
 * Removes the profiles that have one of the ids, with all their ids, facts and results. Slices that were read before are
 * refused from then on.
 */
export async function removeProfiles(
  transaction: Connection,
  { ids, sourceIds }: WantedIds,
): Promise<Removed> {
  // Also what `lockProfiles` does: it locks this row.
  await sql`UPDATE profiles_state SET purges = purges + 1`.execute(transaction)
  const spaces = await spacesOf(transaction, sourceIds)
  const wanted = spaces.flatMap((space) => ids.map((id) => ({ space, ...id })))
  const profiles = await lockFound(transaction, wanted)
  if (profiles.length === 0) return { spaces, users: [] }
  const users = await usersOf(transaction, profiles)
  for (const table of ['profile_traits', 'facts', 'results', 'profile_ids'])
    await sql`DELETE FROM ${sql.table(table)} WHERE profile = ANY(${profiles}::bigint[])`.execute(
      transaction,
    )
  await sql`DELETE FROM profiles WHERE id = ANY(${profiles}::bigint[])`.execute(transaction)
  return { spaces, users }
}

/** Waits for the evaluations that are being stored of them: from then on, what those have written is seen. */
async function lockFound(
  transaction: Connection,
  ids: readonly SpacedId[],
): Promise<readonly number[]> {
  const found = (await findIds(transaction, ids)).flatMap((each) => each?.profile ?? [])
  const { rows } = await sql<{ readonly id: number }>`
    SELECT id FROM profiles WHERE id = ANY(${found}::bigint[]) ORDER BY id FOR UPDATE`.execute(
    transaction,
  )
  return rows.map(({ id }) => id)
}

async function usersOf(
  transaction: Connection,
  profiles: readonly number[],
): Promise<readonly RemovedUser[]> {
  const { rows } = await sql<RemovedUser>`
    SELECT space, id FROM profile_ids
    WHERE profile = ANY(${profiles}::bigint[]) AND kind = 'user'`.execute(transaction)
  return rows.map(({ space, id }) => ({ space: fromText(space), id: fromText(id) }))
}

import { sql } from 'kysely'
import type { ProfilesState } from '../../profiles.ts'
import type { Connection, Postgres } from '../postgres/postgres.ts'

/** The name of the cursor with which profiles follow the archive. */
const CURSOR = 'profiles'

/** How far profiles have followed, and how many purges there were, at one moment. */
export async function readState(postgres: Postgres): Promise<ProfilesState> {
  const [state] = await postgres.run(sql<ProfilesState>`
    SELECT (SELECT through FROM cursors WHERE name = ${CURSOR}) AS through, purges FROM profiles_state`)
  return state!
}

/** Begins to follow the archive at its first event. */
export async function beginToFollow(postgres: Postgres): Promise<void> {
  await postgres.run(sql`INSERT INTO cursors VALUES (${CURSOR}, 0) ON CONFLICT DO NOTHING`)
}

/**
 * Waits until no other transaction makes, joins or removes profiles: from then on this one sees what they have done. Whoever
 * writes profiles takes this lock before all others. Returns the count of purges.
 */
export async function lockProfiles(transaction: Connection): Promise<number> {
  const { rows } = await sql<{ readonly purges: number }>`
    SELECT purges FROM profiles_state FOR UPDATE`.execute(transaction)
  return rows[0]!.purges
}

/** Moves the cursor, if it is at `after`. Returns whether it was. */
export async function moveCursor(
  transaction: Connection,
  { after, through }: { readonly after: number; readonly through: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE cursors SET through = ${through} WHERE name = ${CURSOR} AND through = ${after}`.execute(
    transaction,
  )
  return numAffectedRows === 1n
}

/** The position of the last event that is applied; 0 while no profiles are kept. */
export async function positionOf(transaction: Connection): Promise<number> {
  const { rows } = await sql<{ readonly through: number }>`
    SELECT through FROM cursors WHERE name = ${CURSOR}`.execute(transaction)
  return rows[0]?.through ?? 0
}

import { sql } from 'kysely'
import type { Connection } from '../postgres/postgres.ts'
import type { OpenProfile } from './open-profiles.ts'

/** Gives the profiles what belongs to those that they have absorbed, which are gone then. */
export async function moveJoined(
  transaction: Connection,
  profiles: readonly Pick<OpenProfile, 'id' | 'absorbed'>[],
): Promise<void> {
  const moves = profiles.flatMap(({ id, absorbed }) => absorbed.map((gone) => ({ id, gone })))
  if (moves.length === 0) return
  const gone = moves.map((move) => move.gone)
  const kept = moves.map(({ id }) => id)
  const moved = sql`unnest(${gone}::bigint[], ${kept}::bigint[]) WITH ORDINALITY AS moved (gone, kept, place)`
  await sql`
    UPDATE profile_ids SET profile = kept FROM ${moved} WHERE profile = gone`.execute(transaction)
  // A fact or a result that both profiles have stays once.
  await sql`
    WITH taken AS (
      DELETE FROM facts USING ${moved} WHERE profile = gone RETURNING kept, clause, at, position, value)
    INSERT INTO facts SELECT * FROM taken ON CONFLICT DO NOTHING`.execute(transaction)
  await sql`
    WITH taken AS (
      DELETE FROM results USING ${moved} WHERE profile = gone RETURNING kept, computation, value, since, place)
    INSERT INTO results SELECT kept, computation, value, since FROM taken ORDER BY place
    ON CONFLICT DO NOTHING`.execute(transaction)
  await sql`DELETE FROM profile_traits WHERE profile = ANY(${gone}::bigint[])`.execute(transaction)
  await sql`DELETE FROM profiles WHERE id = ANY(${gone}::bigint[])`.execute(transaction)
}

import { sql } from 'kysely'
import type { Announcement } from '../../evaluations.ts'
import type { Connection } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'

/**
 * Keeps what was announced: of several announcements of a computation for a user, the last one. The computations are locked,
 * which keeps rows unique: an id of a user may be longer than a unique index takes.
 */
export async function putAnnounced(
  transaction: Connection,
  announcements: readonly Announcement[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  if (announcements.length === 0) return
  const rows = lastOf(announcements)
  await sql`
    WITH new AS MATERIALIZED (
      SELECT * FROM unnest(${rows.map(({ userId }) => toText(userId))}::text[],
        ${rows.map(({ computationId }) => numbers.get(computationId)!)}::bigint[],
        ${rows.map(({ value }) => JSON.stringify(value))}::text[],
        ${rows.map(({ number }) => number)}::bigint[], ${rows.map(({ at }) => at)}::bigint[])
        AS new (user_id, computation, value, number, at)),
    updated AS (
      UPDATE announced SET value = new.value, number = new.number, at = new.at FROM new
      WHERE announced.user_id = new.user_id AND announced.computation = new.computation
      RETURNING announced.user_id, announced.computation)
    INSERT INTO announced (user_id, computation, value, number, at)
    SELECT * FROM new WHERE (user_id, computation) NOT IN (SELECT user_id, computation FROM updated)`.execute(
    transaction,
  )
}

function lastOf(announcements: readonly Announcement[]): readonly Announcement[] {
  // The database has no lone surrogates, so ids that differ only in those are one.
  const keyOf = ({ computationId, userId }: Announcement): string =>
    `${computationId} ${userId.toWellFormed()}`
  return [...new Map(announcements.map((each) => [keyOf(each), each])).values()]
}

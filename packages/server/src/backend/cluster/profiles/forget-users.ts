import { sql } from 'kysely'
import type { Connection } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'
import type { RemovedUser } from './remove-profiles.ts'
import { spaceIn } from './spaces-of.ts'

/**
 * Removes what was announced of users, and their places on lists: in the computations of their space, and in those that are gone
 * and not forgotten yet.
 */
export async function forgetUsers(
  transaction: Connection,
  users: readonly RemovedUser[],
): Promise<void> {
  if (users.length === 0) return
  const known = await computationsOf(transaction, users)
  for (const table of ['announced', 'listed_users'])
    await sql`
      DELETE FROM ${sql.table(table)} AS kept
      USING unnest(${users.map(({ space }) => toText(space))}::text[],
        ${users.map(({ id }) => toText(id))}::text[]) AS gone (space, id)
      WHERE user_id = gone.id AND NOT EXISTS (
        SELECT 1 FROM unnest(${[...known.keys()]}::bigint[], ${[...known.values()].map(toText)}::text[])
          AS known (number, space)
        WHERE known.number = kept.computation AND known.space <> gone.space)`.execute(transaction)
}

/** The spaces of the computations that have something of the users, by number, without those that are gone. */
async function computationsOf(
  transaction: Connection,
  users: readonly RemovedUser[],
): Promise<ReadonlyMap<number, string>> {
  const ids = users.map(({ id }) => toText(id))
  const { rows } = await sql<{ readonly number: number; readonly document: string }>`
    SELECT computations.number AS number, document FROM (
      SELECT computation FROM announced WHERE user_id = ANY(${ids}::text[])
      UNION SELECT computation FROM listed_users WHERE user_id = ANY(${ids}::text[])) AS named
    JOIN computations ON computations.number = computation
    JOIN catalog ON catalog.id = computations.id AND kind = 'computation'`.execute(transaction)
  const spaces = rows.map(({ number, document }) => [number, spaceIn(document)] as const)
  return new Map(spaces.filter((each): each is [number, string] => each[1] !== undefined))
}

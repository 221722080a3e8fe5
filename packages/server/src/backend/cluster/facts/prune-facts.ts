import { sql } from 'kysely'
import type { Connection } from '../postgres/postgres.ts'

/** Facts that one slice looks at: more only of one profile. */
const PRUNE_FACTS = 5_000

/**
 * Removes facts of some profiles: those that are older than their clauses keep them, those that are more, and those of
 * clauses that are gone. Returns where the next slice begins; `null` at the end.
 */
export async function pruneFacts(
  transaction: Connection,
  { now, after }: { readonly now: number; readonly after: number },
): Promise<number | null> {
  const { first, beyond } = await boundsOf(transaction, after)
  if (first === null) return null
  // The profile at the end has more facts than fit.
  const reached = beyond === null ? Number.MAX_SAFE_INTEGER : Math.max(first, beyond - 1)
  await sql`
    DELETE FROM facts USING (
      SELECT profile, clause, at, position, row_number() OVER (
        PARTITION BY profile, clause ORDER BY at DESC, position DESC) AS place
      FROM facts WHERE profile > ${after} AND profile <= ${reached}
    ) AS looked LEFT JOIN fact_clauses ON number = looked.clause
    WHERE (number IS NULL OR looked.at <= ${now}::bigint - keep_ms OR place > keep_most)
      AND facts.profile = looked.profile AND facts.clause = looked.clause
      AND facts.at = looked.at AND facts.position = looked.position`.execute(transaction)
  return beyond === null ? null : reached
}

async function boundsOf(
  transaction: Connection,
  after: number,
): Promise<{ readonly first: number | null; readonly beyond: number | null }> {
  const { rows } = await sql<{ readonly first: number | null; readonly beyond: number | null }>`
    SELECT (SELECT min(profile) FROM facts WHERE profile > ${after}) AS first, (
      SELECT profile FROM facts WHERE profile > ${after} ORDER BY profile
      LIMIT 1 OFFSET ${PRUNE_FACTS}) AS beyond`.execute(transaction)
  return rows[0]!
}

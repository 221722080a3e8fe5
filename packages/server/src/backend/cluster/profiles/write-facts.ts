import { sql } from 'kysely'
import type { ClauseFact, Fact } from '../../profiles.ts'
import type { Connection } from '../postgres/postgres.ts'

/** One in so many facts of a profile makes those go that are more than the clause keeps. */
const TRIM_EVERY = 32

/** A fact of a profile, and the clause that counts it. */
export interface ProfileFact extends Fact, Pick<ClauseFact, 'clause'> {
  readonly profile: number
}

type FactKey = Pick<ProfileFact, 'profile' | 'clause' | 'position'>

/** Adds facts. One that is there already stays. Returns the profiles that have a new one. */
export async function putFacts(
  transaction: Connection,
  facts: readonly ProfileFact[],
): Promise<readonly number[]> {
  if (facts.length === 0) return []
  const values = facts.map(({ value }) => (value === null ? null : JSON.stringify(value)))
  const { rows } = await sql<FactKey>`
    INSERT INTO facts (profile, clause, at, position, value)
    SELECT * FROM unnest(${facts.map(({ profile }) => profile)}::bigint[],
      ${facts.map(({ clause }) => clause)}::bigint[], ${facts.map(({ at }) => at)}::bigint[],
      ${facts.map(({ position }) => position)}::bigint[], ${values}::text[])
    ON CONFLICT DO NOTHING RETURNING profile, clause, position`.execute(transaction)
  await trim(
    transaction,
    rows.filter(({ position }) => position % TRIM_EVERY === 0),
  )
  return [...new Set(rows.map(({ profile }) => profile))]
}

/** Removes the oldest facts of profiles, beyond the number that the clause keeps: 0 where it is gone. */
async function trim(transaction: Connection, facts: readonly FactKey[]): Promise<void> {
  const full = [...new Map(facts.map((fact) => [`${fact.profile} ${fact.clause}`, fact])).values()]
  if (full.length === 0) return
  await sql`
    DELETE FROM facts USING (
      SELECT full_of.profile, full_of.clause, last.at, last.position
      FROM unnest(${full.map(({ profile }) => profile)}::bigint[],
        ${full.map(({ clause }) => clause)}::bigint[]) AS full_of (profile, clause)
      LEFT JOIN fact_clauses ON number = full_of.clause
      CROSS JOIN LATERAL (
        SELECT at, position FROM facts WHERE profile = full_of.profile AND clause = full_of.clause
        ORDER BY at DESC, position DESC LIMIT 1 OFFSET coalesce(keep_most, 0)) AS last
    ) AS beyond
    WHERE facts.profile = beyond.profile AND facts.clause = beyond.clause
      AND (facts.at, facts.position) <= (beyond.at, beyond.position)`.execute(transaction)
}

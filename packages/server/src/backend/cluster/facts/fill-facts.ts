import { sql } from 'kysely'
import type { ArchivedFact, FillSlice } from '../../facts.ts'
import type { Connection } from '../postgres/postgres.ts'
import { findIds } from '../profiles/find-ids.ts'
import { lockProfiles } from '../profiles/profiles-state.ts'
import { type ProfileFact, putFacts } from '../profiles/write-facts.ts'

/** Adds facts of archived events, where their users have a profile. Returns false where the slice is out of date. */
export async function fillFacts(transaction: Connection, slice: FillSlice): Promise<boolean> {
  if ((await lockProfiles(transaction)) !== slice.purges) return false
  const facts = await withProfiles(transaction, slice.facts)
  const profiles = await putFacts(transaction, facts)
  await touch(transaction, profiles, slice.at)
  await sql`
    UPDATE fact_clauses SET filled_through = greatest(filled_through, least(fill_through, ${slice.through}))
    WHERE number = ANY(${slice.clauses}::bigint[])`.execute(transaction)
  return true
}

/** Those of the facts whose ids have a profile, with the profile of the first one that has one. */
async function withProfiles(
  transaction: Connection,
  facts: readonly ArchivedFact[],
): Promise<readonly ProfileFact[]> {
  const ids = facts.flatMap((fact) => fact.ids.map((id) => ({ space: fact.space, ...id })))
  const found = await findIds(transaction, ids)
  let looked = 0
  return facts.flatMap(({ clause, at, position, value, ids: { length } }) => {
    const ofFact = found.slice(looked, (looked += length))
    const profile = ofFact.find((each) => each !== undefined)?.profile
    return profile === undefined ? [] : [{ profile, clause, at, position, value }]
  })
}

/** Makes profiles dirty since `at`, unless they were before. */
async function touch(
  transaction: Connection,
  profiles: readonly number[],
  at: number,
): Promise<void> {
  if (profiles.length === 0) return
  await sql`
    UPDATE profiles SET version = nextval('profile_versions'), dirty_since = coalesce(dirty_since, ${at})
    FROM (SELECT id FROM profiles WHERE id = ANY(${profiles}::bigint[]) ORDER BY id FOR UPDATE) AS locked
    WHERE profiles.id = locked.id`.execute(transaction)
}

import { type RawBuilder, sql } from 'kysely'
import type { Announced, LoadedProfile } from '../../evaluations.ts'
import type { Fact } from '../../profiles.ts'
import { fromText } from '../postgres/text.ts'
import { jsonIn, traitValuesIn } from './trait-values.ts'

/** A profile with all that belongs to it, in lists. */
export interface LoadedRow {
  readonly id: number
  readonly space: string
  readonly version: number
  readonly user_ids: readonly string[]
  readonly traits: string | null
  /** In the order of clauses; those of a clause newest first. */
  readonly facts: readonly (readonly [
    clause: number,
    at: number,
    position: number,
    value: string | null,
  ])[]
  readonly results: readonly (readonly [id: string, value: string, since: number])[]
  readonly announced: readonly (readonly [
    id: string,
    userId: string,
    value: string,
    number: number,
    at: number,
  ])[]
  readonly lists: readonly string[]
}

/**
 * Selects profiles, in the order of `wanted`, which has the columns `id` and `place`. One statement, because each profile is
 * loaded as it is at one moment.
 */
export function loadStatement(wanted: RawBuilder<unknown>): RawBuilder<LoadedRow> {
  return sql<LoadedRow>`
    SELECT p.id AS id, p.space AS space, p.version AS version,
      ARRAY(SELECT i.id::text ${SEEN_USERS} ORDER BY i.id) AS user_ids,
      (SELECT traits FROM profile_traits WHERE profile = p.id) AS traits,
      ${list(sql`clause, at, position, value`, FACTS)} AS facts,
      ${list(sql`c.id, value, since`, sql`FROM results JOIN computations AS c ON c.number = computation WHERE profile = p.id`)} AS results,
      ${list(
        sql`c.id, user_id, value, a.number, at`,
        sql`FROM (SELECT i.id ${SEEN_USERS}) AS users JOIN announced AS a ON user_id = users.id
          JOIN computations AS c ON c.number = computation`,
      )} AS announced,
      ARRAY(
        SELECT DISTINCT c.id::text FROM (SELECT i.id ${SEEN_USERS}) AS users JOIN listed_users ON user_id = users.id
        JOIN computations AS c ON number = computation) AS lists
    FROM (${wanted}) AS wanted JOIN profiles AS p ON p.id = wanted.id ORDER BY place`
}

const SEEN_USERS = sql`FROM profile_ids AS i WHERE i.profile = p.id AND i.kind = 'user' AND i.is_seen`

/** The newest facts of each clause, as many as the clause keeps. */
const FACTS = sql`FROM (
    SELECT facts.*, keep_most, row_number() OVER (PARTITION BY clause ORDER BY at DESC, position DESC) AS place
    FROM facts JOIN fact_clauses ON number = clause WHERE profile = p.id
    ORDER BY clause, at DESC, position DESC) AS placed
  WHERE place <= keep_most`

function list(columns: RawBuilder<unknown>, from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce((SELECT json_agg(json_build_array(${columns})) ${from}), '[]')`
}

/** The profile of a row. */
export function loadedProfileOf(row: LoadedRow): LoadedProfile {
  return {
    profileId: row.id,
    space: fromText(row.space),
    version: row.version,
    userIds: row.user_ids.map(fromText),
    traits: traitValuesIn(row.traits),
    facts: factsOf(row),
    results: new Map(
      row.results.map(([id, value, since]) => [id, { value: jsonIn(value) ?? null, since }]),
    ),
    announced: announcedOf(row),
    manual: new Set(row.lists),
  }
}

function factsOf({ facts }: LoadedRow): ReadonlyMap<number, readonly Fact[]> {
  const all = new Map<number, Fact[]>()
  for (const [clause, at, position, value] of facts) {
    let ofClause = all.get(clause)
    if (ofClause === undefined) all.set(clause, (ofClause = []))
    ofClause.push({ at, position, value: jsonIn(value) ?? null })
  }
  return all
}

/** By computation, then by userId. */
function announcedOf({ announced }: LoadedRow): LoadedProfile['announced'] {
  const all = new Map<string, Map<string, Announced>>()
  for (const [id, userId, value, number, at] of announced) {
    let ofComputation = all.get(id)
    if (ofComputation === undefined) all.set(id, (ofComputation = new Map()))
    ofComputation.set(fromText(userId), { value: jsonIn(value) ?? null, number, at })
  }
  return all
}

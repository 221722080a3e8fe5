import type { Json } from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import {
  type Announced,
  type LoadedProfile,
  type ProfileWalk,
  WALK_BYTES,
  WALK_PROFILES,
} from '../../evaluations.ts'
import type { Fact } from '../../profiles.ts'
import { fromText, jsonIn, toText } from '../postgres/text.ts'

/** A profile with all that belongs to it, in lists. */
export interface LoadedRow {
  readonly id: number
  readonly space: string
  readonly version: number
  readonly is_dirty: boolean
  readonly recheck_at: number | null
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

/** Conditions on the facts of a profile, and on announcements of the computation `c`. */
interface Only {
  readonly facts: RawBuilder<unknown>
  readonly announced: RawBuilder<unknown>
}

const EVERYTHING: Only = { facts: sql`true`, announced: sql`true` }

/**
 * Selects profiles, in the order of `wanted`, which has the columns `id` and `place`. One statement, because each profile is
 * loaded as it is at one moment.
 */
export function loadStatement(
  wanted: RawBuilder<unknown>,
  only = EVERYTHING,
): RawBuilder<LoadedRow> {
  return sql<LoadedRow>`
    SELECT p.id AS id, p.space AS space, p.version AS version, p.dirty_since IS NOT NULL AS is_dirty,
      p.recheck_at AS recheck_at, ARRAY(SELECT i.id::text ${SEEN_USERS} ORDER BY i.id) AS user_ids,
      (SELECT traits FROM profile_traits WHERE profile = p.id) AS traits,
      ${list(sql`clause, at, position, value`, newestFacts(only.facts))} AS facts,
      ${list(sql`c.id, value, since`, sql`FROM results JOIN computations AS c ON c.number = computation WHERE profile = p.id`)} AS results,
      ${list(
        sql`c.id, user_id, value, a.number, at`,
        sql`FROM (SELECT i.id ${SEEN_USERS}) AS users JOIN announced AS a ON user_id = users.id
          JOIN computations AS c ON c.number = computation WHERE ${only.announced}`,
      )} AS announced,
      ARRAY(
        SELECT DISTINCT c.id::text FROM (SELECT i.id ${SEEN_USERS}) AS users JOIN listed_users ON user_id = users.id
        JOIN computations AS c ON number = computation) AS lists
    FROM (${wanted}) AS wanted JOIN profiles AS p ON p.id = wanted.id ORDER BY place`
}

const SEEN_USERS = sql`FROM profile_ids AS i WHERE i.profile = p.id AND i.kind = 'user' AND i.is_seen`

/** The newest facts of each clause, as many as the clause keeps. */
function newestFacts(only: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`FROM (
    SELECT facts.*, keep_most, row_number() OVER (PARTITION BY clause ORDER BY at DESC, position DESC) AS place
    FROM facts JOIN fact_clauses ON number = clause WHERE profile = p.id AND ${only}
    ORDER BY clause, at DESC, position DESC) AS placed
  WHERE place <= keep_most`
}

function list(columns: RawBuilder<unknown>, from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce((SELECT json_agg(json_build_array(${columns})) ${from}), '[]')`
}

/** Selects the next profiles of a space. */
export function walkStatement(walk: ProfileWalk): RawBuilder<LoadedRow> {
  const { space, after, every = 1, clauses, computationId } = walk
  const facts = sql`clause = ANY (${clauses}::bigint[])`
  const announced = computationId === undefined ? sql`false` : sql`c.id = ${computationId}`
  // A number in the text: a plan for any limit would read the whole table.
  const numbered = sql`
    SELECT id, row_number() OVER (ORDER BY id) AS number FROM (
      SELECT id FROM profiles WHERE id > ${after} AND space = ${toText(space)}
      ORDER BY id LIMIT ${sql.lit(WALK_PROFILES * every)}) AS first`
  const bytes = (column: RawBuilder<unknown>, from: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`coalesce((SELECT sum(${column}) FROM ${from} AS measured WHERE measured.profile = next.id), 0)`
  const wanted = sql`
    SELECT id, id AS place FROM (
      SELECT id, bytes, sum(bytes) OVER (ORDER BY id) AS total FROM (
        SELECT id, ${bytes(sql`octet_length(traits)`, sql`profile_traits`)}
          + ${bytes(sql`octet_length(value)`, sql`results`)}
          + ${bytes(sql`32 + coalesce(octet_length(value), 0)`, sql`(SELECT * FROM facts WHERE ${facts})`)} AS bytes
        FROM (${numbered}) AS next WHERE number % ${every} = 0) AS sized) AS summed
    WHERE total <= ${WALK_BYTES} OR total = bytes`
  return loadStatement(wanted, { facts, announced })
}

/** The profile of a row. */
export function loadedProfileOf(row: LoadedRow): LoadedProfile {
  return {
    profileId: row.id,
    space: fromText(row.space),
    version: row.version,
    isDirty: row.is_dirty,
    recheckAt: row.recheck_at,
    userIds: row.user_ids.map(fromText),
    traits: traitsOf(row),
    facts: factsOf(row),
    results: new Map(
      row.results.map(([id, value, since]) => [id, { value: jsonIn(value) ?? null, since }]),
    ),
    announced: announcedOf(row),
    manual: new Set(row.lists),
  }
}

/** The values of traits that were not removed; none where the profile has no row of traits. */
function traitsOf({ traits }: LoadedRow): Readonly<Record<string, Json>> {
  // Without a prototype, so that a trait named __proto__ is one like any other.
  const values = Object.create(null) as Record<string, Json>
  for (const [name, trait] of Object.entries(jsonIn(traits) ?? {}))
    if (Array.isArray(trait) && trait[0] !== null) values[name] = trait[0] as Json
  return values
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

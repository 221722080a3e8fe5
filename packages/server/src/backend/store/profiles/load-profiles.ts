import type { Json } from '@hookline/protocol'
import {
  type AnnouncedValue,
  type LoadedProfile,
  type ProfileWalk,
  WALK_BYTES,
  WALK_PROFILES,
} from '../../evaluations.ts'
import type { IdInSpace } from '../../profiles.ts'
import { parsedJson } from '../rows.ts'
import { numbersIn } from '../dialect.ts'
import { sql, type Statement } from '../sql.ts'
import type { ReadTx } from '../store.ts'
import { profilesOf } from './identities.ts'
import { compareText } from './links.ts'
import { mergedTraits, type StoredTraits, traitsIn } from './traits.ts'

/**
 * The facts of a clause, packed for threads: an object for each fact would cost the main thread
 * more than the whole evaluation.
 */
interface PackedFacts {
  readonly clause: number
  /** `at` and `position` of each fact, alternately; newest first. */
  readonly numbers: Float64Array
  readonly values: readonly Json[] | null
}

/** A loaded profile as it is posted between threads. */
export type PackedProfile = Omit<LoadedProfile, 'facts'> & {
  readonly facts: readonly PackedFacts[]
}

export function unpackProfile({ facts, ...profile }: PackedProfile): LoadedProfile {
  const byClause = facts.map(({ clause, numbers, values }) => {
    const all = Array.from({ length: numbers.length / 2 }, (_, index) => ({
      at: numbers[2 * index]!,
      position: numbers[2 * index + 1]!,
      value: values?.[index] ?? null,
    }))
    return [clause, all] as const
  })
  return { ...profile, facts: new Map(byClause) }
}

export async function loadProfileOf(tx: ReadTx, id: IdInSpace): Promise<readonly PackedProfile[]> {
  const [profile] = await profilesOf(tx, [id])
  return profile === undefined ? [] : loadProfiles(tx, [profile])
}

export async function loadDueProfiles(
  tx: ReadTx,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<readonly PackedProfile[]> {
  const ids = await tx.all(sql<{ readonly id: number }>`
    SELECT id FROM identities WHERE dirty_since IS NOT NULL ORDER BY dirty_since, id LIMIT ${limit}`)
  if (ids.length < limit)
    ids.push(
      ...(await tx.all(sql<{ readonly id: number }>`
        SELECT id FROM identities WHERE recheck_at <= ${now} AND dirty_since IS NULL
        ORDER BY recheck_at, id LIMIT ${limit - ids.length}`)),
    )
  const due = ids.map(({ id }) => id)
  return loadProfiles(tx, due)
}

export async function walkProfiles(
  tx: ReadTx,
  walk: ProfileWalk,
): Promise<readonly PackedProfile[]> {
  const { space, after, every = 1, clauses } = walk
  const rows = await tx.all(sql<{ readonly id: number }>`
    SELECT id FROM identities WHERE id > ${after} AND profile = id AND space = ${space}
    ORDER BY id LIMIT ${WALK_PROFILES * every}`)
  const ids = rows.map(({ id }) => id).filter((_, index) => (index + 1) % every === 0)
  return loadProfiles(tx, await fittingIds(tx, ids, clauses), walk)
}

/** The first profiles that fit into a batch. */
async function fittingIds(tx: ReadTx, ids: readonly number[], clauses: readonly number[]) {
  const rows = await tx.all(sql<{ readonly profile: number; readonly bytes: number }>`
    SELECT profile, CAST(sum(
      coalesce((SELECT octet_length(traits) FROM identity_traits WHERE identity = identities.id), 0)
      + coalesce((SELECT sum(octet_length(value)) FROM results WHERE results.profile = identities.id), 0)
      + coalesce((SELECT sum(32 + coalesce(octet_length(value), 0)) FROM facts WHERE identity = identities.id
        AND clause IN (${numbersIn(tx, clauses)})), 0)) AS bigint) AS bytes
    FROM identities WHERE profile IN (${numbersIn(tx, ids)}) GROUP BY profile`)
  const bytes = new Map(rows.map((row) => [row.profile, row.bytes]))
  let total = 0
  const end = ids.findIndex((id) => (total += bytes.get(id) ?? 0) > WALK_BYTES)
  return end === -1 ? ids : ids.slice(0, Math.max(1, end))
}

/**
 * With more identities than this, the database limits a profile's facts: each identity may have as
 * many facts as a profile keeps.
 */
const MAX_UNCUT_IDENTITIES = 8

interface IdentityRow {
  readonly id: number
  readonly profile: number
  readonly kind: string
  readonly name: string
  readonly is_seen: boolean | number
  readonly traits: string | null
  readonly space: string
  readonly version: number
  readonly dirty_since: number | null
  readonly recheck_at: number | null
}

/** Loads existing profiles in the order of `ids`, with all facts and announcements, or only the ones that `only` names. */
export async function loadProfiles(
  tx: ReadTx,
  ids: readonly number[],
  only?: Pick<ProfileWalk, 'clauses' | 'computationId'>,
): Promise<readonly PackedProfile[]> {
  if (ids.length === 0) return []
  const identities = Map.groupBy(
    await tx.all(sql<IdentityRow>`
      SELECT id, profile, kind, name, is_seen, traits, space, version, dirty_since, recheck_at
      FROM identities LEFT JOIN identity_traits ON identity = id WHERE profile IN (${numbersIn(tx, ids)})`),
    ({ profile }) => profile,
  )
  const users = new Map([...identities].map(([profile, all]) => [profile, usersOf(all)]))
  const named = [...new Set([...users.values()].flat())]
  const isCrowded = (profile: number): boolean =>
    (identities.get(profile)?.length ?? 0) > MAX_UNCUT_IDENTITIES
  const facts = await factsOf(tx, ids, isCrowded, only?.clauses)
  const results = await resultsOf(tx, ids)
  const loaded = only === undefined || only.computationId !== undefined ? named : []
  const announced = await announcedTo(tx, loaded, only?.computationId)
  const lists = await listsWith(tx, named)
  return ids.flatMap((profileId) => {
    const all = identities.get(profileId) ?? []
    const leader = all.find(({ id }) => id === profileId)
    if (leader === undefined) return []
    const userIds = users.get(profileId)!
    return [
      {
        profileId,
        space: leader.space,
        version: leader.version,
        isDirty: leader.dirty_since !== null,
        recheckAt: leader.recheck_at,
        userIds,
        traits: valuesOf(mergedTraits(traitsOf(all))),
        facts: facts.get(profileId) ?? [],
        results: results.get(profileId) ?? new Map(),
        announced: announcedOf(userIds, announced),
        manual: new Set(userIds.flatMap((userId) => lists.get(userId) ?? [])),
      },
    ]
  })
}

function traitsOf(identities: readonly IdentityRow[]): readonly StoredTraits[] {
  return identities.flatMap(({ traits }) => (traits === null ? [] : [traitsIn(traits)]))
}

function usersOf(identities: readonly IdentityRow[]): readonly string[] {
  const users = identities.filter(({ kind, is_seen: isSeen }) => kind === 'user' && isSeen)
  return users.map(({ name }) => name).toSorted(compareText)
}

function valuesOf(traits: ReturnType<typeof mergedTraits>): Record<string, Json> {
  const values = Object.create(null) as Record<string, Json>
  for (const [name, [value]] of Object.entries(traits)) if (value !== null) values[name] = value
  return values
}

/**
 * Facts of one clause, of an identity or profile, as strings: a row for each fact would take
 * several times as long.
 */
interface FactRow {
  readonly profile: number
  readonly clause: number
  readonly at: string
  readonly position: string
  /** One JSON value per line; `null` if no fact has a value. */
  readonly value: string | null
}

/** The newest facts of each clause. `isCrowded`: the database applies the limit, which takes three times as long. */
async function factsOf(
  tx: ReadTx,
  ids: readonly number[],
  isCrowded: (profile: number) => boolean,
  clauses: readonly number[] | undefined,
): Promise<ReadonlyMap<number, PackedFacts[]>> {
  const packed = new Map<number, PackedFacts[]>()
  if (clauses?.length === 0) return packed
  const clauseFilter =
    clauses === undefined ? sql`` : sql`AND clause IN (${numbersIn(tx, clauses)})`
  const clauseLimits = await tx.all(sql<{ readonly number: number; readonly keep_most: number }>`
    SELECT number, keep_most FROM fact_clauses`)
  const limits = new Map(clauseLimits.map(({ number, keep_most }) => [number, keep_most]))
  const factsIn = (profiles: readonly number[]): Statement => sql`
    FROM identities JOIN facts ON identity = id WHERE profile IN (${numbersIn(tx, profiles)}) ${clauseFilter}`
  // In the order of an index, without sorting.
  const fewFacts = await tx.all(sql<FactRow>`
    SELECT profile, clause, ${AS_TEXTS} ${factsIn(ids.filter((id) => !isCrowded(id)))}
    GROUP BY profile, space, id, clause`)
  const crowded = ids.filter(isCrowded)
  const crowdedFacts =
    crowded.length === 0
      ? []
      : await tx.all(sql<FactRow>`
          SELECT profile, clause, ${AS_TEXTS} FROM (
            SELECT profile, clause, at, position, value,
              row_number() OVER (PARTITION BY profile, clause ORDER BY at DESC, position DESC) AS place
            ${factsIn(crowded)}) AS placed
          JOIN fact_clauses ON number = clause WHERE place <= keep_most
          GROUP BY profile, clause`)
  for (const [profile, rows] of Map.groupBy(fewFacts.concat(crowdedFacts), (row) => row.profile)) {
    const all = [...Map.groupBy(rows, ({ clause }) => clause)].flatMap(([clause, ofClause]) =>
      packedClause(clause, ofClause, limits.get(clause) ?? 0),
    )
    packed.set(profile, all)
  }
  return packed
}

const AS_TEXTS = sql`string_agg(CAST(at AS text), ',') AS at,
  string_agg(CAST(position AS text), ',') AS position,
  CASE WHEN count(value) > 0 THEN string_agg(coalesce(value, ''), ${'\n'}) END AS value`

function packedClause(clause: number, rows: readonly FactRow[], limit: number): PackedFacts[] {
  const facts = rows.flatMap(({ at, position, value }) => {
    const [positions, values] = [position.split(','), value?.split('\n')]
    return at.split(',').map((each, index) => {
      return {
        at: Number(each),
        position: Number(positions[index]),
        value: values?.[index] || null,
      }
    })
  })
  const newest = facts.toSorted((a, b) => b.at - a.at || b.position - a.position).slice(0, limit)
  if (newest.length === 0) return []
  const numbers = new Float64Array(2 * newest.length)
  for (const [index, { at, position }] of newest.entries()) {
    numbers[2 * index] = at
    numbers[2 * index + 1] = position
  }
  const hasValues = newest.some(({ value }) => value !== null)
  const values = hasValues ? newest.map(({ value }) => parsedJson(value) ?? null) : null
  return [{ clause, numbers, values }]
}

type Results = Map<string, { readonly value: Json; readonly since: number }>

async function resultsOf(tx: ReadTx, ids: readonly number[]) {
  const rows = await tx.all(sql<{
    readonly profile: number
    readonly id: string
    readonly value: string
    readonly since: number
  }>`
    SELECT profile, computations.id AS id, value, since FROM results
    JOIN computations ON computations.number = computation WHERE profile IN (${numbersIn(tx, ids)})`)
  const results = new Map<number, Results>()
  for (const { profile, id, value, since } of rows) {
    const ofProfile: Results = results.get(profile) ?? new Map()
    results.set(profile, ofProfile.set(id, { value: parsedJson(value) ?? null, since }))
  }
  return results
}

interface AnnouncedRow {
  readonly user_id: string
  readonly id: string
  readonly value: string
  readonly number: number
  readonly at: number
}

/** The announcements of all computations, or of one, by user. */
async function announcedTo(tx: ReadTx, users: readonly string[], only: string | undefined) {
  if (users.length === 0) return new Map()
  // Prevents the use of an index by computation, which would read the announcements of all users for each batch.
  const onlyThis = only === undefined ? sql`` : sql`AND computations.id || '' = ${only}`
  const rows = await tx.all(sql<AnnouncedRow>`
    SELECT user_id, computations.id AS id, value, announced.number AS number, at
    FROM ${namesIn(tx, users)} JOIN announced ON user_id = input.name
    JOIN computations ON computations.number = computation ${onlyThis}`)
  return Map.groupBy(rows, ({ user_id: userId }) => userId)
}

function namesIn({ dialect }: ReadTx, users: readonly string[]): Statement {
  const rows = users.map((name) => ({ name }))
  return dialect.rows(rows, { text: ['name'] })
}

function announcedOf(
  userIds: readonly string[],
  rows: ReadonlyMap<string, readonly AnnouncedRow[]>,
): LoadedProfile['announced'] {
  const all = new Map<string, Map<string, AnnouncedValue>>()
  for (const userId of userIds)
    for (const { id, value, number, at } of rows.get(userId) ?? []) {
      const ofComputation = all.get(id) ?? new Map<string, AnnouncedValue>()
      all.set(id, ofComputation.set(userId, { value: parsedJson(value) ?? null, number, at }))
    }
  return all
}

async function listsWith(tx: ReadTx, users: readonly string[]) {
  if (users.length === 0) return new Map()
  const rows = await tx.all(sql<{ readonly user_id: string; readonly id: string }>`
    SELECT user_id, computations.id AS id FROM ${namesIn(tx, users)}
    JOIN listed_users ON user_id = input.name JOIN computations ON number = computation`)
  const lists = Map.groupBy(rows, ({ user_id: userId }) => userId)
  return new Map([...lists].map(([userId, all]) => [userId, all.map(({ id }) => id)]))
}

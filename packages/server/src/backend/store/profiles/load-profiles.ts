import type { Json } from '@hookline/protocol'
import {
  type Announced,
  type LoadedProfile,
  type ProfileWalk,
  WALK_BYTES,
  WALK_PROFILES,
} from '../../evaluations.ts'
import type { SpacedId } from '../../profiles.ts'
import { parsedJson } from '../rows.ts'
import { numbersIn } from '../dialect.ts'
import { sql, type Statement } from '../sql.ts'
import type { ReadTx } from '../store.ts'
import { profilesOf } from './identities.ts'
import { compareText } from './links.ts'
import { mergedTraits, type StoredTraits, traitsIn } from './traits.ts'

/**
 * The facts of a clause as they pass from thread to thread: an object for each would cost the main thread more than all the
 * rest of an evaluation.
 */
interface PackedFacts {
  readonly clause: number
  /** `at` and `position` of each, in turn; newest first. */
  readonly numbers: Float64Array
  /** `null` if no fact has a value. */
  readonly values: readonly Json[] | null
}

/** A loaded profile as it passes from thread to thread. */
export type PackedProfile = Omit<LoadedProfile, 'facts'> & {
  readonly facts: readonly PackedFacts[]
}

/** The profile as an evaluation sees it. */
export function unpacked({ facts, ...profile }: PackedProfile): LoadedProfile {
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

/** Loads the profile that an id belongs to. */
export async function loadProfileOf(tx: ReadTx, id: SpacedId): Promise<readonly PackedProfile[]> {
  const [profile] = await profilesOf(tx, [id])
  return profile === undefined ? [] : loadProfiles(tx, [profile])
}

/** Loads profiles that are to be evaluated: dirty ones first, then those whose time has come. */
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

/** Loads the next profiles of a space. */
export async function walkProfiles(
  tx: ReadTx,
  walk: ProfileWalk,
): Promise<readonly PackedProfile[]> {
  const { space, after, every = 1, clauses, computationId } = walk
  const rows = await tx.all(sql<{ readonly id: number }>`
    SELECT id FROM identities WHERE id > ${after} AND profile = id AND space = ${space}
    ORDER BY id LIMIT ${WALK_PROFILES * every}`)
  const ids = rows.map(({ id }) => id).filter((_, index) => (index + 1) % every === 0)
  const only = { clauses, computationId: computationId ?? null }
  return loadProfiles(tx, await fittingIds(tx, ids, clauses), only)
}

/** The first of the profiles, as many as fit into a batch. */
async function fittingIds(
  tx: ReadTx,
  ids: readonly number[],
  clauses: readonly number[],
): Promise<readonly number[]> {
  const rows = await tx.all(sql<{ readonly profile: number; readonly bytes: number }>`
    SELECT profile, CAST(sum(
      coalesce((SELECT octet_length(traits) FROM identity_traits WHERE identity = identities.id), 0)
      + coalesce((SELECT sum(octet_length(value)) FROM results WHERE results.profile = identities.id), 0)
      + coalesce((SELECT sum(32 + coalesce(octet_length(value), 0)) FROM facts WHERE identity = identities.id
        AND clause IN (SELECT number FROM ${tx.dialect.given({ number: ['number', clauses] })})), 0)) AS bigint) AS bytes
    FROM identities WHERE profile IN (${numbersIn(tx, ids)}) GROUP BY profile`)
  const bytes = new Map(rows.map((row) => [row.profile, row.bytes]))
  let total = 0
  const end = ids.findIndex((id) => (total += bytes.get(id) ?? 0) > WALK_BYTES)
  return end === -1 ? ids : ids.slice(0, Math.max(1, end))
}

/** The database cuts the facts of a profile with more identities: each identity can have as many facts as a profile keeps. */
const MAX_UNCUT_IDENTITIES = 8

interface Only {
  readonly clauses: readonly number[]
  /** The computation whose announcements are loaded; `null`: none. */
  readonly computationId: string | null
}

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

/**
 * Loads profiles in the order of their numbers in `ids`, without those that are gone: all that belongs to them, or the facts and
 * announcements of `only`.
 */
export async function loadProfiles(
  tx: ReadTx,
  ids: readonly number[],
  only?: Only,
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
  const announced = await announcedTo(tx, named, only)
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

/** In the order of the database. */
function usersOf(identities: readonly IdentityRow[]): readonly string[] {
  const users = identities.filter(({ kind, is_seen: isSeen }) => kind === 'user' && isSeen)
  return users.map(({ name }) => name).toSorted(compareText)
}

/** The values of traits that were not removed. */
function valuesOf(traits: ReturnType<typeof mergedTraits>): Record<string, Json> {
  const values = Object.create(null) as Record<string, Json>
  for (const [name, [value]] of Object.entries(traits)) if (value !== null) values[name] = value
  return values
}

/** Facts of one clause, of an identity or of a profile: texts, because a row for each fact would take several times as long. */
interface FactRow {
  readonly profile: number
  readonly clause: number
  /** Separated by commas. */
  readonly at: string
  readonly position: string
  /** JSON, separated by line breaks, which it does not have; `null` if no fact has a value. */
  readonly value: string | null
}

/**
 * By profile: the newest facts of each clause, up to the limit of the clause.
 *
 * @param isCrowded whether the database cuts the facts of a profile, which takes three times as long as to cut them here
 */
async function factsOf(
  tx: ReadTx,
  ids: readonly number[],
  isCrowded: (profile: number) => boolean,
  clauses: readonly number[] | undefined,
): Promise<ReadonlyMap<number, PackedFacts[]>> {
  const packed = new Map<number, PackedFacts[]>()
  if (clauses?.length === 0) return packed
  const wanted =
    clauses === undefined
      ? sql``
      : sql`AND clause IN (SELECT number FROM ${tx.dialect.given({ number: ['number', clauses] })})`
  const kept = await tx.all(sql<{ readonly number: number; readonly keep_most: number }>`
    SELECT number, keep_most FROM fact_clauses`)
  const most = new Map(kept.map(({ number, keep_most }) => [number, keep_most]))
  const factsIn = (profiles: readonly number[]): Statement => sql`
    FROM identities JOIN facts ON identity = id WHERE profile IN (${numbersIn(tx, profiles)}) ${wanted}`
  // The order of an index, so nothing is sorted.
  const ofFew = await tx.all(sql<FactRow>`
    SELECT profile, clause, ${AS_TEXTS} ${factsIn(ids.filter((id) => !isCrowded(id)))}
    GROUP BY profile, space, id, clause`)
  const crowded = ids.filter(isCrowded)
  const ofCrowded =
    crowded.length === 0
      ? []
      : await tx.all(sql<FactRow>`
          SELECT profile, clause, ${AS_TEXTS} FROM (
            SELECT profile, clause, at, position, value,
              row_number() OVER (PARTITION BY profile, clause ORDER BY at DESC, position DESC) AS place
            ${factsIn(crowded)}) AS placed
          JOIN fact_clauses ON number = clause WHERE place <= keep_most
          GROUP BY profile, clause`)
  for (const [profile, rows] of Map.groupBy(ofFew.concat(ofCrowded), (row) => row.profile)) {
    const all = [...Map.groupBy(rows, ({ clause }) => clause)].flatMap(([clause, ofClause]) =>
      packedClause(clause, ofClause, most.get(clause) ?? 0),
    )
    packed.set(profile, all)
  }
  return packed
}

const AS_TEXTS = sql`string_agg(CAST(at AS text), ',') AS at,
  string_agg(CAST(position AS text), ',') AS position,
  CASE WHEN count(value) > 0 THEN string_agg(coalesce(value, ''), ${'\n'}) END AS value`

function packedClause(clause: number, rows: readonly FactRow[], most: number): PackedFacts[] {
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
  const newest = facts.toSorted((a, b) => b.at - a.at || b.position - a.position).slice(0, most)
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

async function resultsOf(
  tx: ReadTx,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Results>> {
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

/** By user: what was announced of all computations, or of one. */
async function announcedTo(
  tx: ReadTx,
  users: readonly string[],
  only: Only | undefined,
): Promise<ReadonlyMap<string, readonly AnnouncedRow[]>> {
  if (users.length === 0 || only?.computationId === null) return new Map()
  // Not an index of computations: it would lead to the announcements to all users, for each part of a walk.
  const ofOne = only === undefined ? sql`` : sql`AND computations.id || '' = ${only.computationId}`
  const rows = await tx.all(sql<AnnouncedRow>`
    SELECT user_id, computations.id AS id, value, announced.number AS number, at
    FROM ${tx.dialect.given({ name: ['text', users] })} JOIN announced ON user_id = given.name
    JOIN computations ON computations.number = computation ${ofOne}`)
  return Map.groupBy(rows, ({ user_id: userId }) => userId)
}

/** By computation, then by userId. */
function announcedOf(
  userIds: readonly string[],
  rows: ReadonlyMap<string, readonly AnnouncedRow[]>,
): LoadedProfile['announced'] {
  const all = new Map<string, Map<string, Announced>>()
  for (const userId of userIds)
    for (const { id, value, number, at } of rows.get(userId) ?? []) {
      const ofComputation = all.get(id) ?? new Map<string, Announced>()
      all.set(id, ofComputation.set(userId, { value: parsedJson(value) ?? null, number, at }))
    }
  return all
}

/** The manual audiences whose lists have these users, by user. */
async function listsWith(
  tx: ReadTx,
  users: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (users.length === 0) return new Map()
  const rows = await tx.all(sql<{ readonly user_id: string; readonly id: string }>`
    SELECT user_id, computations.id AS id FROM ${tx.dialect.given({ name: ['text', users] })}
    JOIN listed_users ON user_id = given.name JOIN computations ON number = computation`)
  const lists = Map.groupBy(rows, ({ user_id: userId }) => userId)
  return new Map([...lists].map(([userId, all]) => [userId, all.map(({ id }) => id)]))
}

import type { Json } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import {
  type Announced,
  type LoadedProfile,
  type ProfileWalk,
  WALK_BYTES,
  WALK_PROFILES,
} from '../../evaluations.ts'
import { numberOrNull, readJson, type Row } from '../database/rows.ts'
import { storedTraitsOf } from '../profiles/profile-row.ts'
import { factLoader, type PackedFacts } from './load-facts.ts'

/** A loaded profile as it passes from thread to thread. */
export type PackedProfile = Omit<LoadedProfile, 'facts'> & {
  readonly facts: readonly PackedFacts[]
}

/** Loads a profile; `undefined` where there is none. */
type ProfileLoader = (profile: number) => PackedProfile | undefined

/** Prepares the loading of profiles. The first function begins a read transaction; without `only`, all is loaded. */
function profileLoader(
  db: DatabaseSync,
): (only?: Pick<ProfileWalk, 'clauses' | 'computationId'>) => ProfileLoader {
  const select = db.prepare(
    `SELECT space, version, dirty_since, recheck_at, traits
     FROM profiles LEFT JOIN profile_traits ON profile = id WHERE id = ?`,
  )
  const users = db.prepare(
    `SELECT id FROM profile_ids WHERE profile = ? AND kind = 'user' AND is_seen ORDER BY id`,
  )
  const results = db.prepare(
    `SELECT computations.id AS id, value, since FROM results JOIN computations ON number = computation
     WHERE profile = ?`,
  )
  const lists = db.prepare(
    `SELECT computations.id AS id FROM listed_users JOIN computations ON number = computation
     WHERE user_id = ?`,
  )
  const beginFacts = factLoader(db)
  const announcementsTo = announcementLoader(db)
  return (only) => {
    const factsOf = beginFacts(only?.clauses)
    const computationId = only === undefined ? null : (only.computationId ?? '')
    return (profileId) => {
      const row = select.get(profileId)
      if (row === undefined) return undefined
      const userIds = users.all(profileId).map(({ id }) => String(id))
      return {
        profileId,
        space: String(row['space']),
        version: Number(row['version']),
        isDirty: row['dirty_since'] !== null,
        recheckAt: numberOrNull(row['recheck_at']),
        userIds,
        traits: traitsOf(row),
        facts: factsOf(profileId),
        results: new Map(results.all(profileId).map((each) => [String(each['id']), valueOf(each)])),
        announced: announcementsTo(userIds, computationId),
        manual: new Set(userIds.flatMap((id) => lists.all(id).map((list) => String(list['id'])))),
      }
    }
  }
}

function traitsOf(row: Row): Record<string, Json> {
  const traits = Object.create(null) as Record<string, Json>
  for (const [name, [value]] of Object.entries(storedTraitsOf(row)))
    if (value !== null) traits[name] = value
  return traits
}

function valueOf({ value, since }: Row): { readonly value: Json; readonly since: number } {
  return { value: readJson(value) as Json, since: Number(since) }
}

/** Prepares the loading of announcements of one computation, or of all: by computation, then by userId. */
function announcementLoader(
  db: DatabaseSync,
): (userIds: readonly string[], computationId: string | null) => LoadedProfile['announced'] {
  const select = db.prepare(
    `SELECT computations.id AS id, value, announced.number AS number, at
     FROM announced JOIN computations ON computations.number = computation
     WHERE user_id = ?1 AND (?2 IS NULL OR computations.id = ?2)`,
  )
  return (userIds, computationId) => {
    const all = new Map<string, Map<string, Announced>>()
    // No computation has this id.
    if (computationId === '') return all
    for (const userId of userIds) {
      for (const { id, value, number, at } of select.all(userId, computationId)) {
        const ofComputation = all.get(String(id)) ?? new Map<string, Announced>()
        const last = { value: readJson(value) as Json, number: Number(number), at: Number(at) }
        all.set(String(id), ofComputation.set(userId, last))
      }
    }
    return all
  }
}

/** Loads profiles that are to be evaluated: dirty ones first, then those whose time has come. */
export function loadDueProfiles(
  db: DatabaseSync,
): (due: { readonly now: number; readonly limit: number }) => PackedProfile[] {
  const dirty = db.prepare(
    'SELECT id FROM profiles WHERE dirty_since IS NOT NULL ORDER BY dirty_since LIMIT ? + 0',
  )
  const due = db.prepare(
    `SELECT id FROM profiles WHERE recheck_at <= ? AND dirty_since IS NULL
     ORDER BY recheck_at LIMIT ? + 0`,
  )
  const beginProfiles = profileLoader(db)
  return ({ now, limit }) => {
    const ids = dirty.all(limit)
    if (ids.length < limit) ids.push(...due.all(now, limit - ids.length))
    const load = beginProfiles()
    return ids.map(({ id }) => load(Number(id))!)
  }
}

/** Loads profiles, without those that are gone. */
export function loadProfiles(db: DatabaseSync): (ids: readonly number[]) => PackedProfile[] {
  const beginProfiles = profileLoader(db)
  return (ids) => ids.map(beginProfiles()).filter((profile) => profile !== undefined)
}

/** Loads the next profiles of a space. */
export function walkProfiles(db: DatabaseSync): (walk: ProfileWalk) => PackedProfile[] {
  const next = db.prepare(
    `SELECT id FROM (
       SELECT id, row_number() OVER (ORDER BY id) AS number FROM (
         SELECT id FROM profiles WHERE id > ?1 AND space = ?2 ORDER BY id LIMIT ${WALK_PROFILES} * ?3))
     WHERE number % ?3 = 0 ORDER BY id`,
  )
  const beginProfiles = profileLoader(db)
  return ({ space, after, every = 1, ...only }) => {
    const load = beginProfiles(only)
    const batch: PackedProfile[] = []
    let bytes = 0
    for (const { id } of next.all(after, space, every)) {
      const profile = load(Number(id))!
      bytes += bytesOf(profile)
      if (bytes > WALK_BYTES && batch.length > 0) break
      batch.push(profile)
    }
    return batch
  }
}

/** About how many bytes a profile has as a message. */
function bytesOf({ traits, results, facts }: PackedProfile): number {
  let bytes = JSON.stringify(traits).length + JSON.stringify([...results.values()]).length
  for (const { numbers, values } of facts)
    bytes += numbers.byteLength + (values === null ? 0 : JSON.stringify(values).length)
  return bytes
}

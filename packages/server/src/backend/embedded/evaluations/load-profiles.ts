import type { Json } from '@hookline/protocol'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Announced, LoadedProfile } from '../../evaluations.ts'
import { readJson, type Row } from '../database/rows.ts'
import { storedTraitsOf } from '../profiles/profile-row.ts'
import { factLoader, type PackedFacts } from './load-facts.ts'

/** A loaded profile as it passes from thread to thread. */
export type PackedProfile = Omit<LoadedProfile, 'facts'> & {
  readonly facts: readonly PackedFacts[]
}

/** Loads a profile; `undefined` where there is none. */
type ProfileLoader = (profile: number) => PackedProfile | undefined

/** Prepares the loading of profiles. The first function begins a read transaction. */
function profileLoader(db: DatabaseSync): () => ProfileLoader {
  const select = db.prepare(
    `SELECT space, version, traits FROM profiles LEFT JOIN profile_traits ON profile = id WHERE id = ?`,
  )
  const users = db.prepare(
    `SELECT id FROM profile_ids WHERE profile = ? AND kind = 'user' AND is_seen ORDER BY id`,
  )
  const results = db.prepare(
    `SELECT computations.id AS id, value, since FROM results JOIN computations ON number = computation
     WHERE profile = ?`,
  )
  const announced = db.prepare(
    `SELECT computations.id AS id, value, announced.number AS number, at
     FROM announced JOIN computations ON computations.number = computation WHERE user_id = ?`,
  )
  const lists = db.prepare(
    `SELECT computations.id AS id FROM listed_users JOIN computations ON number = computation
     WHERE user_id = ?`,
  )
  const beginFacts = factLoader(db)
  const load = (profileId: number, factsOf: ReturnType<typeof beginFacts>) => {
    const row = select.get(profileId)
    if (row === undefined) return undefined
    const userIds = users.all(profileId).map(({ id }) => String(id))
    return {
      profileId,
      space: String(row['space']),
      version: Number(row['version']),
      userIds,
      traits: traitsOf(row),
      facts: factsOf(profileId),
      results: new Map(results.all(profileId).map((each) => [String(each['id']), valueOf(each)])),
      announced: announcedTo(userIds, announced),
      manual: new Set(userIds.flatMap((id) => lists.all(id).map((list) => String(list['id'])))),
    }
  }
  return () => {
    const factsOf = beginFacts()
    return (profileId) => load(profileId, factsOf)
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

/** By computation, then by userId. */
function announcedTo(
  userIds: readonly string[],
  select: StatementSync,
): ReadonlyMap<string, ReadonlyMap<string, Announced>> {
  const all = new Map<string, Map<string, Announced>>()
  for (const userId of userIds) {
    for (const { id, value, number, at } of select.all(userId)) {
      const ofComputation = all.get(String(id)) ?? new Map<string, Announced>()
      const last = { value: readJson(value) as Json, number: Number(number), at: Number(at) }
      all.set(String(id), ofComputation.set(userId, last))
    }
  }
  return all
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

import type { Json } from '@hookline/protocol'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Announced, LoadedProfile } from '../../evaluations.ts'
import type { Fact } from '../../profiles.ts'
import { readJson, type Row } from '../database/rows.ts'
import { profileRowOf, PROFILE_COLUMNS } from '../profiles/profile-row.ts'

/** Prepares the loading of a profile; `undefined` where there is none. Several of them need one read transaction. */
function profileLoader(db: DatabaseSync): (profile: number) => LoadedProfile | undefined {
  const select = db.prepare(`SELECT space, version, ${PROFILE_COLUMNS} FROM profiles WHERE id = ?`)
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
  const factsOf = factLoader(db)
  return (profileId) => {
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
}

/** Prepares the loading of the facts of a profile: the newest of each clause, as many as the clause keeps. */
function factLoader(db: DatabaseSync): (profile: number) => ReadonlyMap<number, readonly Fact[]> {
  // From clause to clause: this finds the clauses of a profile without a look at each of its facts.
  const nextClause = db.prepare(
    `SELECT clause, (SELECT keep_most FROM fact_clauses WHERE number = clause) AS most
     FROM facts WHERE profile = ? AND clause > ? ORDER BY clause LIMIT 1`,
  )
  const newest = db.prepare(
    `SELECT at, position, value FROM facts WHERE profile = ? AND clause = ?
     ORDER BY at DESC, position DESC LIMIT ? + 0`,
  )
  return (profile) => {
    const facts = new Map<number, readonly Fact[]>()
    let next = nextClause.get(profile, 0)
    while (next !== undefined) {
      const clause = Number(next['clause'])
      if (next['most'] !== null) {
        facts.set(clause, newest.all(profile, clause, next['most']!).map(factOf))
      }
      next = nextClause.get(profile, clause)
    }
    return facts
  }
}

/** A fact of a row of `facts`. */
export function factOf({ at, position, value }: Row): Fact {
  return {
    at: Number(at),
    position: Number(position),
    value: value === null ? null : (readJson(value) as Json),
  }
}

function traitsOf(row: Row): Record<string, Json> {
  const traits = Object.create(null) as Record<string, Json>
  for (const [name, [value]] of Object.entries(profileRowOf(row).traits))
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
): (due: { readonly now: number; readonly limit: number }) => LoadedProfile[] {
  const dirty = db.prepare(
    'SELECT id FROM profiles WHERE dirty_since IS NOT NULL ORDER BY dirty_since LIMIT ? + 0',
  )
  const due = db.prepare(
    `SELECT id FROM profiles WHERE recheck_at <= ? AND dirty_since IS NULL
     ORDER BY recheck_at LIMIT ? + 0`,
  )
  const load = profileLoader(db)
  return ({ now, limit }) => {
    const ids = dirty.all(limit)
    if (ids.length < limit) ids.push(...due.all(now, limit - ids.length))
    return ids.map(({ id }) => load(Number(id))!)
  }
}

/** Loads profiles, without those that are gone. */
export function loadProfiles(db: DatabaseSync): (ids: readonly number[]) => LoadedProfile[] {
  const load = profileLoader(db)
  return (ids) => ids.map(load).filter((profile) => profile !== undefined)
}

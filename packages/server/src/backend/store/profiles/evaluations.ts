import type {
  Announcement,
  ChangedResult,
  EvaluatedProfile,
  Evaluations,
} from '../../evaluations.ts'
import { sql } from '../sql.ts'
import { lookUpTx, type Store, type Tx } from '../store.ts'
import { lockIdentities, profilesOf } from './identities.ts'
import {
  loadDueProfiles,
  loadProfileOf,
  loadProfiles,
  unpackProfile,
  walkProfiles,
} from './load-profiles.ts'

type Appending = Pick<Evaluations, 'commit' | 'announce'>

export function storedEvaluations(store: Store, appending: Appending): Evaluations {
  return {
    ...appending,
    due: async (now, limit) =>
      (await store.read(loadDueProfiles, { now, limit })).map(unpackProfile),
    load: async (profileIds) => (await store.read(loadProfiles, profileIds)).map(unpackProfile),
    walk: async (query) => (await store.read(walkProfiles, query)).map(unpackProfile),
    profilesOf: (ids) => profilesOf(lookUpTx(store), ids),

    async loadUser(space, userId) {
      const [profile] = await store.read(loadProfileOf, { space, kind: 'user', id: userId })
      return profile && unpackProfile(profile)
    },

    async waiting(now) {
      const [waiting] = await store.list(sql<{ profiles: number; since: number | null }>`
        SELECT count(*) AS profiles, min(since) AS since FROM (
          SELECT dirty_since AS since FROM identities WHERE dirty_since IS NOT NULL
          UNION ALL
          SELECT recheck_at FROM identities WHERE recheck_at <= ${now} AND dirty_since IS NULL) AS waiting`)
      return waiting!
    },
  }
}

/**
 * Stores evaluations of profiles that have not changed since they were loaded. Resolves to the
 * indexes of the stored evaluations.
 */
export async function storeEvaluations(
  tx: Tx,
  evaluated: readonly EvaluatedProfile[],
): Promise<readonly number[]> {
  const settled = await markEvaluated(tx, evaluated)
  const places = evaluated.flatMap(({ profileId }, place) =>
    settled.delete(profileId) ? [place] : [],
  )
  const stored = places.map((place) => evaluated[place]!)
  const results = stored.flatMap(({ profileId, results: changed }) =>
    changed.map((result) => ({ ...result, profile: profileId })),
  )
  const announcements = stored.flatMap((each) => each.announcements)
  if (results.length + announcements.length === 0) return places
  const computationIds = [...results, ...announcements].map(({ computationId }) => computationId)
  const numbers = await lockedNumbers(tx, computationIds)
  await writeResults(tx, results, numbers)
  await putAnnounced(tx, announcements, numbers)
  return places
}

/** Clears the dirty flag of profiles that still have the evaluated version. Resolves to their numbers. */
async function markEvaluated(tx: Tx, evaluated: readonly EvaluatedProfile[]): Promise<Set<number>> {
  const ids = evaluated.map(({ profileId }) => profileId)
  await lockIdentities(tx, ids)
  const input = tx.dialect.rows(evaluated, { number: ['profileId', 'version', 'recheckAt'] })
  const rows = await tx.all(sql<{ readonly id: number }>`
    UPDATE identities SET dirty_since = NULL, recheck_at = input.recheck_at,
      version = identities.version + 1
    FROM ${input} WHERE identities.id = profile_id AND identities.version = input.version
    RETURNING identities.id`)
  return new Set(rows.map(({ id }) => id))
}

/** The numbers of computations, created if missing, and locked until the transaction ends. Lock profiles first. */
export async function lockedNumbers(
  tx: Tx,
  computationIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const ids = [...new Set(computationIds)]
  for (;;) {
    const rows = await tx.all(sql<{ readonly id: string; readonly number: number }>`
      SELECT id, number FROM computations WHERE id ${tx.dialect.among(ids)}
      ORDER BY number ${tx.dialect.forUpdate}`)
    const numbers = new Map(rows.map(({ id, number }) => [id, number]))
    const missing = ids.filter((id) => !numbers.has(id))
    if (missing.length === 0) return numbers
    for (const id of missing)
      await tx.run(
        sql`INSERT INTO computations (id, size) VALUES (${id}, 0) ON CONFLICT DO NOTHING`,
      )
  }
}

type ChangedRow = ChangedResult & { readonly profile: number; readonly computation: number }

async function writeResults(
  tx: Tx,
  changed: readonly Omit<ChangedRow, 'computation'>[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  if (changed.length === 0) return
  const results = changed.map((each): ChangedRow => {
    return { ...each, computation: numbers.get(each.computationId)! }
  })
  const keys = { number: ['profile', 'computation'] } as const
  const removed = results.filter(({ value }) => value === undefined)
  if (removed.length > 0)
    await tx.run(sql`
      DELETE FROM results WHERE (profile, computation) IN (
        SELECT profile, computation FROM ${tx.dialect.rows(removed, keys)})`)
  const stored = results.filter(({ value }) => value !== undefined)
  const columns = { number: [...keys.number, 'since'], json: ['value'] } as const
  if (stored.length > 0)
    await tx.run(sql`
      INSERT INTO results (profile, computation, value, since)
      SELECT profile, computation, value, since FROM ${tx.dialect.rows(stored, columns)} WHERE true
      ON CONFLICT (profile, computation) DO UPDATE SET value = excluded.value, since = excluded.since`)
}

/** Stores announcements, unique because the computations are locked: a userId may be too long for a unique index. */
async function putAnnounced(
  tx: Tx,
  announcements: readonly Announcement[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  if (announcements.length === 0) return
  const keyOf = ({ computationId, userId }: Announcement): string =>
    `${computationId} ${userId.toWellFormed()}`
  const last = [...new Map(announcements.map((each) => [keyOf(each), each])).values()]
  const rows = last.map((each) => ({ ...each, computation: numbers.get(each.computationId)! }))
  const input = tx.dialect.rows(rows, {
    text: ['userId'],
    number: ['computation', 'number', 'at'],
    json: ['value'],
  })
  await tx.run(sql`
    UPDATE announced SET value = input.value, number = input.number, at = input.at FROM ${input}
    WHERE announced.user_id = input.user_id AND announced.computation = input.computation`)
  await tx.run(sql`
    INSERT INTO announced (user_id, computation, value, number, at)
    SELECT user_id, computation, value, number, at FROM ${input} WHERE (
      SELECT count(*) FROM announced AS known
      WHERE known.user_id = input.user_id AND known.computation = input.computation) = 0`)
}

import type { Announcement, ChangedResult, Evaluated, Evaluations } from '../../evaluations.ts'
import { sql } from '../sql.ts'
import { lookingUp, type Store, type Tx } from '../store.ts'
import { lockIdentities, profilesOf } from './identities.ts'
import {
  loadDueProfiles,
  loadProfileOf,
  loadProfiles,
  unpacked,
  walkProfiles,
} from './load-profiles.ts'

const HOUR_MS = 60 * 60 * 1000

/** The writes that also append events to the log, which each engine does in its own way. */
type Appending = Pick<Evaluations, 'commit' | 'tell'>

/** Evaluations in the tables `identities`, `results` and `announced`. */
export function storedEvaluations(store: Store, appending: Appending): Evaluations {
  return {
    ...appending,
    due: async (now, limit) => (await store.read(loadDueProfiles, { now, limit })).map(unpacked),
    load: async (profileIds) => (await store.read(loadProfiles, profileIds)).map(unpacked),
    walk: async (query) => (await store.read(walkProfiles, query)).map(unpacked),
    profilesOf: (ids) => profilesOf(lookingUp(store), ids),

    async loadUser(space, userId) {
      const [profile] = await store.read(loadProfileOf, { space, kind: 'user', id: userId })
      return profile && unpacked(profile)
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
 * Stores evaluations of profiles that have not changed since, but for the events of their announcements. Resolves to
 * their places in `evaluated`. Of two nodes that evaluate a profile at once, the second waits for the first, and finds another version.
 */
export async function storeEvaluations(
  tx: Tx,
  evaluated: readonly Evaluated[],
): Promise<readonly number[]> {
  const settled = await settle(tx, evaluated)
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

/** Makes profiles clean that still have their version. */
async function settle(tx: Tx, evaluated: readonly Evaluated[]): Promise<Set<number>> {
  const ids = evaluated.map(({ profileId }) => profileId)
  await lockIdentities(tx, ids)
  const rows = await tx.all(sql<{ readonly id: number }>`
    UPDATE identities SET dirty_since = NULL, recheck_at = given.recheck_at,
      version = identities.version + 1
    FROM ${tx.dialect.given({
      id: ['number', ids],
      version: ['number', evaluated.map(({ version }) => version)],
      recheck_at: ['number', evaluated.map(({ recheckAt }) => recheckAt)],
    })} WHERE identities.id = given.id AND identities.version = given.version RETURNING identities.id`)
  return new Set(rows.map(({ id }) => id))
}

/**
 * The numbers of computations, by which tables name them. One without a number gets one. Until the transaction ends, none of
 * them is forgotten, and no other transaction changes their results. Lock profiles before.
 */
export async function lockedNumbers(
  tx: Tx,
  computationIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const ids = [...new Set(computationIds)]
  for (;;) {
    const rows = await tx.all(sql<{ readonly id: string; readonly number: number }>`
      SELECT id, number FROM computations
      WHERE id IN (SELECT id FROM ${tx.dialect.given({ id: ['text', ids] })})
      ORDER BY number ${tx.dialect.forUpdate}`)
    const numbers = new Map(rows.map(({ id, number }) => [id, number]))
    const missing = ids.filter((id) => !numbers.has(id))
    if (missing.length === 0) return numbers
    await tx.run(sql`
      INSERT INTO computations (id, size) SELECT id, 0
      FROM ${tx.dialect.given({ id: ['text', missing] })} WHERE true ON CONFLICT DO NOTHING`)
  }
}

type Changed = ChangedResult & { readonly profile: number }

async function writeResults(
  tx: Tx,
  results: readonly Changed[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  if (results.length === 0) return
  const keysOf = (some: readonly Changed[]) =>
    ({
      profile: ['number', some.map(({ profile }) => profile)],
      computation: ['number', some.map(({ computationId }) => numbers.get(computationId)!)],
    }) as const
  const gone = results.filter(({ value }) => value === undefined)
  if (gone.length > 0)
    await tx.run(sql`
      DELETE FROM results WHERE (profile, computation) IN (
        SELECT profile, computation FROM ${tx.dialect.given(keysOf(gone))})`)
  const kept = results.filter(({ value }) => value !== undefined)
  if (kept.length > 0)
    await tx.run(sql`
      INSERT INTO results (profile, computation, value, since)
      SELECT profile, computation, value, since FROM ${tx.dialect.given({
        ...keysOf(kept),
        value: ['text', kept.map(({ value }) => JSON.stringify(value))],
        since: ['number', kept.map(({ since }) => since)],
      })} WHERE true
      ON CONFLICT (profile, computation) DO UPDATE SET value = excluded.value, since = excluded.since`)
  await countChanges(tx, results, numbers)
}

/** Counts changes of results, by computation and hour. */
async function countChanges(
  tx: Tx,
  results: readonly Changed[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  const hourOf = ({ since }: Changed): number => Math.floor(since / HOUR_MS) * HOUR_MS
  const groups = [
    ...Map.groupBy(results, (each) => `${each.computationId} ${hourOf(each)}`).values(),
  ]
  const left = groups.map((all) => all.filter(({ value }) => value === undefined).length)
  await tx.run(sql`
    INSERT INTO computation_changes (computation, start, entered, went)
    SELECT computation, start, entered, went FROM ${tx.dialect.given({
      computation: ['number', groups.map(([first]) => numbers.get(first!.computationId)!)],
      start: ['number', groups.map(([first]) => hourOf(first!))],
      entered: ['number', groups.map(({ length }, index) => length - left[index]!)],
      went: ['number', left],
    })} WHERE true
    ON CONFLICT (computation, start) DO UPDATE SET
      entered = computation_changes.entered + excluded.entered,
      went = computation_changes.went + excluded.went`)
}

/**
 * Keeps what was announced: of several announcements of a computation for a user, the last one. The computations are locked,
 * which keeps rows unique: PostgreSQL has no index that does, because a userId may be longer than such an index takes.
 */
async function putAnnounced(
  tx: Tx,
  announcements: readonly Announcement[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  if (announcements.length === 0) return
  const keyOf = ({ computationId, userId }: Announcement): string =>
    `${computationId} ${userId.toWellFormed()}`
  const last = [...new Map(announcements.map((each) => [keyOf(each), each])).values()]
  const given = tx.dialect.given({
    user_id: ['text', last.map(({ userId }) => userId)],
    computation: ['number', last.map(({ computationId }) => numbers.get(computationId)!)],
    value: ['text', last.map(({ value }) => JSON.stringify(value))],
    number: ['number', last.map(({ number }) => number)],
    at: ['number', last.map(({ at }) => at)],
  })
  await tx.run(sql`
    UPDATE announced SET value = given.value, number = given.number, at = given.at FROM ${given}
    WHERE announced.user_id = given.user_id AND announced.computation = given.computation`)
  await tx.run(sql`
    INSERT INTO announced (user_id, computation, value, number, at)
    SELECT user_id, computation, value, number, at FROM ${given} WHERE (
      SELECT count(*) FROM announced AS known
      WHERE known.user_id = given.user_id AND known.computation = given.computation) = 0`)
}

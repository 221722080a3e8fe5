import { sql } from 'kysely'
import type { Announcement, ChangedResult, Evaluated } from '../../evaluations.ts'
import { putInOutbox } from './put-in-outbox.ts'
import type { Connection } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'
import { lockedNumbers } from './computation-numbers.ts'

const HOUR_MS = 60 * 60 * 1000

/** A result of a profile, by the numbers of both. */
interface Result {
  readonly profile: number
  readonly computation: number
  readonly value: string
  readonly since: number
}

/**
 * Stores evaluations of profiles that have not changed since, and the events of their announcements for the log. Returns
 * those that it has stored. Of two nodes that evaluate a profile at once, the second waits for the first, and finds another version.
 */
export async function commitEvaluations(
  transaction: Connection,
  evaluated: readonly Evaluated[],
): Promise<readonly Evaluated[]> {
  const settled = await settleProfiles(transaction, evaluated)
  const stored = evaluated.filter(({ profileId }) => settled.delete(profileId))
  const results = stored.flatMap((each) =>
    each.results.map((result) => ({ ...result, profile: each.profileId })),
  )
  const announcements = stored.flatMap((each) => each.announcements)
  const named = [...results, ...announcements].map(({ computationId }) => computationId)
  const numbers = await lockedNumbers(transaction, named)
  await writeResults(transaction, results, numbers)
  await putAnnounced(transaction, announcements, numbers)
  await putInOutbox(
    transaction,
    announcements.map(({ event }) => event),
  )
  return stored
}

/** Makes profiles clean that still have their version. Locks them in the order of their numbers, as all do. */
async function settleProfiles(
  transaction: Connection,
  evaluated: readonly Evaluated[],
): Promise<Set<number>> {
  const { rows } = await sql<{ readonly id: number }>`
    WITH settled AS (
      SELECT id, evaluated.recheck_at FROM profiles JOIN unnest(
        ${evaluated.map(({ profileId }) => profileId)}::bigint[],
        ${evaluated.map(({ version }) => version)}::bigint[],
        ${evaluated.map(({ recheckAt }) => recheckAt)}::bigint[]
      ) AS evaluated (id, version, recheck_at) USING (id, version)
      ORDER BY id FOR UPDATE OF profiles)
    UPDATE profiles
    SET dirty_since = NULL, recheck_at = settled.recheck_at, version = nextval('profile_versions')
    FROM settled WHERE profiles.id = settled.id RETURNING profiles.id AS id`.execute(transaction)
  return new Set(rows.map(({ id }) => id))
}

async function writeResults(
  transaction: Connection,
  changed: readonly (ChangedResult & { readonly profile: number })[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  if (changed.length === 0) return
  const placed = changed.map((each) => ({
    ...each,
    computation: numbers.get(each.computationId)!,
  }))
  await removeResults(
    transaction,
    placed.filter(({ value }) => value === undefined),
  )
  await putResults(
    transaction,
    placed
      .filter(({ value }) => value !== undefined)
      .map((each) => ({ ...each, value: JSON.stringify(each.value) })),
  )
  await countChanges(transaction, placed)
}

async function removeResults(
  transaction: Connection,
  results: readonly Omit<Result, 'value' | 'since'>[],
): Promise<void> {
  if (results.length === 0) return
  await sql`
    DELETE FROM results USING unnest(
      ${results.map(({ profile }) => profile)}::bigint[],
      ${results.map(({ computation }) => computation)}::bigint[]) AS gone (profile, computation)
    WHERE results.profile = gone.profile AND results.computation = gone.computation`.execute(
    transaction,
  )
}

async function putResults(transaction: Connection, results: readonly Result[]): Promise<void> {
  if (results.length === 0) return
  await sql`
    INSERT INTO results (profile, computation, value, since) SELECT * FROM unnest(
      ${results.map(({ profile }) => profile)}::bigint[],
      ${results.map(({ computation }) => computation)}::bigint[],
      ${results.map(({ value }) => value)}::text[], ${results.map(({ since }) => since)}::bigint[])
    ON CONFLICT (profile, computation)
    DO UPDATE SET value = excluded.value, since = excluded.since`.execute(transaction)
}

interface Change extends Pick<ChangedResult, 'value' | 'since'> {
  /** The number of the computation. */
  readonly computation: number
}

/** Counts changes of results, by computation and hour. */
async function countChanges(transaction: Connection, changes: readonly Change[]): Promise<void> {
  const counts = countsOf(changes)
  await sql`
    INSERT INTO computation_changes (computation, start, entered, went) SELECT * FROM unnest(
      ${counts.map(({ computation }) => computation)}::bigint[],
      ${counts.map(({ start }) => start)}::bigint[], ${counts.map(({ entered }) => entered)}::bigint[],
      ${counts.map(({ left }) => left)}::bigint[])
    ON CONFLICT (computation, start) DO UPDATE
    SET entered = computation_changes.entered + excluded.entered, went = computation_changes.went + excluded.went`.execute(
    transaction,
  )
}

interface Counts {
  readonly computation: number
  readonly start: number
  entered: number
  left: number
}

function countsOf(changes: readonly Change[]): readonly Counts[] {
  const all = new Map<string, Counts>()
  for (const { computation, value, since } of changes) {
    const start = Math.floor(since / HOUR_MS) * HOUR_MS
    const key = `${computation} ${start}`
    let counts = all.get(key)
    if (counts === undefined) all.set(key, (counts = { computation, start, entered: 0, left: 0 }))
    if (value === undefined) counts.left++
    else counts.entered++
  }
  return [...all.values()]
}

/**
 * Keeps what was announced: of several announcements of a computation for a user, the last one. The computations are locked,
 * which keeps rows unique: an id of a user may be longer than a unique index takes.
 */
async function putAnnounced(
  transaction: Connection,
  announcements: readonly Announcement[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  if (announcements.length === 0) return
  const rows = lastOf(announcements)
  await sql`
    WITH new AS MATERIALIZED (
      SELECT * FROM unnest(${rows.map(({ userId }) => toText(userId))}::text[],
        ${rows.map(({ computationId }) => numbers.get(computationId)!)}::bigint[],
        ${rows.map(({ value }) => JSON.stringify(value))}::text[],
        ${rows.map(({ number }) => number)}::bigint[], ${rows.map(({ at }) => at)}::bigint[])
        AS new (user_id, computation, value, number, at)),
    updated AS (
      UPDATE announced SET value = new.value, number = new.number, at = new.at FROM new
      WHERE announced.user_id = new.user_id AND announced.computation = new.computation
      RETURNING announced.user_id, announced.computation)
    INSERT INTO announced (user_id, computation, value, number, at)
    SELECT * FROM new WHERE (user_id, computation) NOT IN (SELECT user_id, computation FROM updated)`.execute(
    transaction,
  )
}

function lastOf(announcements: readonly Announcement[]): readonly Announcement[] {
  // The database has no lone surrogates, so ids that differ only in those are one.
  const keyOf = ({ computationId, userId }: Announcement): string =>
    `${computationId} ${userId.toWellFormed()}`
  return [...new Map(announcements.map((each) => [keyOf(each), each])).values()]
}

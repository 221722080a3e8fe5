import { sql } from 'kysely'
import type { ChangedResult, Evaluated } from '../../evaluations.ts'
import { putAnnounced } from './put-announced.ts'
import { putInOutbox } from './put-in-outbox.ts'
import type { Connection } from '../postgres/postgres.ts'
import { lockedNumbers } from './computation-numbers.ts'
import { countChanges } from './count-changes.ts'

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

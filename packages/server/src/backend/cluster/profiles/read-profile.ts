import { sql } from 'kysely'
import { countsFrom, traitsFrom } from '../../profile-rules.ts'
import type { Profile, Trait } from '../../profiles.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fromText, jsonIn, toText } from '../postgres/text.ts'

interface Row {
  readonly first_seen_at: number | null
  readonly last_seen_at: number | null
  readonly counts: string
  readonly traits: string | null
  readonly user_ids: readonly string[]
  readonly anonymous_ids: readonly string[]
  readonly results: readonly (readonly [id: string, value: string, since: number])[] | null
}

/** Everything that is known of a user, as it is at one moment. */
export async function readProfile(
  postgres: Postgres,
  { space, userId }: { readonly space: string; readonly userId: string },
): Promise<Profile | undefined> {
  const idsOf = (kind: string) => sql`ARRAY(
    SELECT id::text FROM profile_ids WHERE profile = profiles.id AND kind = ${kind} AND is_seen ORDER BY id)`
  const [row] = await postgres.run(sql<Row>`
    SELECT first_seen_at, last_seen_at, counts, ${idsOf('user')} AS user_ids,
      ${idsOf('anonymous')} AS anonymous_ids,
      (SELECT traits FROM profile_traits WHERE profile = profiles.id) AS traits,
      (SELECT json_agg(json_build_array(computations.id, value, since) ORDER BY computations.id)
       FROM results JOIN computations ON number = computation
       WHERE profile = profiles.id) AS results
    FROM profiles WHERE id = (
      SELECT profile FROM profile_ids
      WHERE space = ${toText(space)} AND kind = 'user' AND id = ${toText(userId)})`)
  return row && profileOf(row, space)
}

function profileOf(row: Row, space: string): Profile {
  const results = row.results ?? []
  const of = (prefix: string) => results.filter(([id]) => id.startsWith(prefix))
  return {
    space,
    userIds: row.user_ids.map(fromText),
    anonymousIds: row.anonymous_ids.map(fromText),
    traits: traitsOf(row),
    computed: Object.fromEntries(
      of('trt_').map(([id, value, since]) => [id, { value: jsonIn(value) ?? null, since }]),
    ),
    audiences: Object.fromEntries(of('aud_').map(([id, , since]) => [id, { since }])),
    counts: countsFrom(jsonIn(row.counts)),
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
  }
}

/** Those that are not removed. */
function traitsOf({ traits }: Row): Record<string, Trait> {
  const stored = traitsFrom(jsonIn(traits))
  return Object.fromEntries(
    Object.entries(stored)
      .filter(([, [value]]) => value !== null)
      .map(([name, [value, at, , eventId, sourceId]]) => [name, { value, at, eventId, sourceId }]),
  )
}

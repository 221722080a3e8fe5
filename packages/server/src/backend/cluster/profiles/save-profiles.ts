import { sql } from 'kysely'
import type { Connection } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'
import { columnsOf } from './find-ids.ts'
import { moveJoined } from './move-joined.ts'
import type { ChangedId, OpenProfile, OpenProfiles } from './open-profiles.ts'

/** Writes what has changed. Profiles whose evaluation may differ are dirty since `at`, unless they were before. */
export async function saveProfiles(
  transaction: Connection,
  open: OpenProfiles,
  at: number,
): Promise<void> {
  const { profiles, changedIds } = open
  const some = (has: (profile: OpenProfile) => boolean) => profiles.filter(has)
  await insertProfiles(
    transaction,
    some(({ isNew }) => isNew),
    at,
  )
  await updateProfiles(
    transaction,
    some(({ isNew, hasNewSums, isDirty }) => !isNew && (hasNewSums || isDirty)),
    at,
  )
  await moveJoined(transaction, profiles)
  await insertIds(
    transaction,
    changedIds.filter(({ isNew }) => isNew),
  )
  await seeIds(
    transaction,
    changedIds.filter(({ isNew }) => !isNew),
  )
  await putTraits(
    transaction,
    some(({ hasNewTraits }) => hasNewTraits),
  )
}

async function insertProfiles(
  transaction: Connection,
  profiles: readonly OpenProfile[],
  at: number,
): Promise<void> {
  if (profiles.length === 0) return
  const { ids, firsts, lasts, counts } = sumsOf(profiles)
  const spaces = profiles.map(({ space }) => toText(space))
  await sql`
    INSERT INTO profiles (id, space, version, dirty_since, first_seen_at, last_seen_at, counts)
    SELECT id, space, nextval('profile_versions'), ${at}, first_seen_at, last_seen_at, counts
    FROM unnest(${ids}::bigint[], ${spaces}::text[], ${firsts}::bigint[], ${lasts}::bigint[], ${counts}::text[])
      AS new (id, space, first_seen_at, last_seen_at, counts)`.execute(transaction)
}

async function updateProfiles(
  transaction: Connection,
  profiles: readonly OpenProfile[],
  at: number,
): Promise<void> {
  if (profiles.length === 0) return
  const { ids, firsts, lasts, counts } = sumsOf(profiles)
  const dirty = profiles.map(({ isDirty }) => isDirty)
  const since = profiles.map(({ isDirty, dirtySince }) => dirtySince ?? (isDirty ? at : null))
  await sql`
    UPDATE profiles SET first_seen_at = new.first_seen_at, last_seen_at = new.last_seen_at,
      counts = new.counts, dirty_since = new.dirty_since,
      version = CASE WHEN new.is_dirty THEN nextval('profile_versions') ELSE version END
    FROM unnest(${ids}::bigint[], ${firsts}::bigint[], ${lasts}::bigint[], ${counts}::text[],
      ${since}::bigint[], ${dirty}::boolean[])
      AS new (id, first_seen_at, last_seen_at, counts, dirty_since, is_dirty)
    WHERE profiles.id = new.id`.execute(transaction)
}

function sumsOf(profiles: readonly OpenProfile[]) {
  return {
    ids: profiles.map(({ id }) => id),
    firsts: profiles.map(({ firstSeenAt }) => firstSeenAt),
    lasts: profiles.map(({ lastSeenAt }) => lastSeenAt),
    counts: profiles.map(({ counts }) => JSON.stringify(counts)),
  }
}

/** `lockProfiles` keeps ids unique, not an index: an id may be longer than a B-tree takes. */
async function insertIds(transaction: Connection, ids: readonly ChangedId[]): Promise<void> {
  if (ids.length === 0) return
  const { spaces, kinds, texts } = columnsOf(ids)
  const profiles = ids.map(({ profile }) => profile)
  const seen = ids.map(({ isSeen }) => isSeen)
  await sql`
    INSERT INTO profile_ids (space, kind, id, profile, is_seen)
    SELECT * FROM unnest(${spaces}::text[], ${kinds}::text[], ${texts}::text[], ${profiles}::bigint[], ${seen}::boolean[])`.execute(
    transaction,
  )
}

/** Ids that only an alias had named until now. */
async function seeIds(transaction: Connection, ids: readonly ChangedId[]): Promise<void> {
  if (ids.length === 0) return
  const { spaces, kinds, texts } = columnsOf(ids)
  await sql`
    UPDATE profile_ids SET is_seen = true
    FROM unnest(${spaces}::text[], ${kinds}::text[], ${texts}::text[]) AS seen (space, kind, id)
    WHERE profile_ids.id = seen.id AND profile_ids.space = seen.space AND profile_ids.kind = seen.kind`.execute(
    transaction,
  )
}

async function putTraits(transaction: Connection, profiles: readonly OpenProfile[]): Promise<void> {
  if (profiles.length === 0) return
  const ids = profiles.map(({ id }) => id)
  const traits = profiles.map((profile) => JSON.stringify(profile.traits))
  await sql`
    INSERT INTO profile_traits (profile, traits)
    SELECT * FROM unnest(${ids}::bigint[], ${traits}::text[])
    ON CONFLICT (profile) DO UPDATE SET traits = excluded.traits`.execute(transaction)
}

import type { Json } from '@hookline/protocol'
import { sql } from 'kysely'
import { countsFrom, type SpacedId, traitsFrom } from '../../profile-rules.ts'
import type { Connection } from '../postgres/postgres.ts'
import { fromText, jsonIn } from '../postgres/text.ts'
import { findIds, type FoundId, keyOf } from './find-ids.ts'
import { type OpenProfile, OpenProfiles } from './open-profiles.ts'

/** What a transaction is going to change. */
interface Wanted {
  /** The ids whose profiles it may require. */
  readonly ids: readonly SpacedId[]
  /** Those of them whose profiles may get traits, or be joined. */
  readonly withTraits: readonly SpacedId[]
}

/** Opens the profiles of some ids, to be changed. `lockProfiles` comes before. */
export async function openProfiles(
  transaction: Connection,
  { ids: named, withTraits }: Wanted,
): Promise<OpenProfiles> {
  const wanted = [...new Map(named.map((id) => [keyOf(id), id])).values()]
  const found = await findIds(transaction, wanted)
  const ids = new Map<string, FoundId>()
  for (const [index, id] of wanted.entries())
    if (found[index] !== undefined) ids.set(keyOf(id), found[index])
  const numbers = await takeNumbers(transaction, wanted.length - ids.size)
  const rows = await lockRows(transaction, profilesOf(ids, wanted))
  const traits = await readTraits(transaction, profilesOf(ids, withTraits))
  const isDamaged = ({ id, counts }: ProfileRow): boolean =>
    jsonIn(counts) === undefined || (traits.has(id) && traits.get(id) === undefined)
  await reportDamaged(transaction, rows.filter(isDamaged))
  const profiles = new Map(rows.map((row) => [row.id, openOf(row, traits.get(row.id))]))
  return new OpenProfiles({ ids, profiles, numbers })
}

function profilesOf(ids: ReadonlyMap<string, FoundId>, wanted: readonly SpacedId[]): number[] {
  const profiles = wanted.map((id) => ids.get(keyOf(id))?.profile)
  return [...new Set(profiles.filter((profile) => profile !== undefined))]
}

interface ProfileRow {
  readonly id: number
  readonly space: string
  readonly dirty_since: number | null
  readonly first_seen_at: number | null
  readonly last_seen_at: number | null
  readonly counts: string
}

/** In the order of their numbers, as all who lock profiles do. */
async function lockRows(transaction: Connection, ids: readonly number[]): Promise<ProfileRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<ProfileRow>`
    SELECT id, space, dirty_since, first_seen_at, last_seen_at, counts FROM profiles
    WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR UPDATE`.execute(transaction)
  return rows
}

async function readTraits(
  transaction: Connection,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Json | undefined>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ readonly profile: number; readonly traits: string }>`
    SELECT profile, traits FROM profile_traits WHERE profile = ANY(${ids}::bigint[])`.execute(
    transaction,
  )
  return new Map(rows.map(({ profile, traits }) => [profile, jsonIn(traits)]))
}

/** Profiles lose what is damaged of them, and go on with what their next events say. The quarantine says so. */
async function reportDamaged(
  transaction: Connection,
  damaged: readonly ProfileRow[],
): Promise<void> {
  if (damaged.length === 0) return
  await sql`
    INSERT INTO quarantine (id, reason, at)
    SELECT 'profile:' || id, 'Its counts or traits in the database were not readable as JSON, and are gone.',
      extract(epoch FROM now()) * 1000
    FROM unnest(${damaged.map(({ id }) => id)}::bigint[]) AS damaged (id)
    ON CONFLICT (id) DO UPDATE SET at = excluded.at`.execute(transaction)
}

/** Numbers that are not taken are left out for ever. */
async function takeNumbers(transaction: Connection, count: number): Promise<number[]> {
  if (count === 0) return []
  const { rows } = await sql<{ readonly id: number }>`
    SELECT nextval('profile_numbers') AS id FROM generate_series(1, ${count}::int)`.execute(
    transaction,
  )
  return rows.map(({ id }) => id).toSorted((a, b) => a - b)
}

function openOf(row: ProfileRow, traits: Json | undefined): OpenProfile {
  return {
    id: row.id,
    space: fromText(row.space),
    isNew: false,
    hasNewSums: false,
    dirtySince: row.dirty_since,
    isDirty: false,
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
    counts: countsFrom(jsonIn(row.counts)),
    traits: traitsFrom(traits),
    hasNewTraits: false,
    absorbed: [],
  }
}

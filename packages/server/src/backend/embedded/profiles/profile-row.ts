import { countsFrom, type ProfileSums, type StoredTraits, traitsFrom } from '../../profile-rules.ts'
import { type Row, readJson, timeOrNull } from '../database/rows.ts'

export interface ProfileRow extends ProfileSums {
  readonly id: number
}

export const PROFILE_COLUMNS = 'id, first_seen_at, last_seen_at, counts'

export function profileRowOf(row: Row): ProfileRow {
  return {
    id: Number(row['id']),
    firstSeenAt: timeOrNull(row['first_seen_at']),
    lastSeenAt: timeOrNull(row['last_seen_at']),
    counts: countsFrom(readJson(row['counts'])),
  }
}

export function newProfileRow(id: number): ProfileRow {
  return { id, firstSeenAt: null, lastSeenAt: null, counts: {} }
}

/** The traits in a row of `profile_traits`, where there is one. */
export function storedTraitsOf(row: Row | undefined): StoredTraits {
  return traitsFrom(row === undefined ? undefined : readJson(row['traits']))
}

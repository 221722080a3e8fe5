import type { EventType, Json } from '@hookline/protocol'
import { type Row, readJson, timeOrNull } from '../database/rows.ts'

/** A trait as it is stored. A removed one has the value `null`, so that an older event does not bring it back. */
export type StoredTrait = readonly [
  value: Json,
  at: number,
  receivedAt: number,
  eventId: string,
  sourceId: string,
]

export type StoredTraits = Record<string, StoredTrait>
type Counts = Partial<Record<EventType, number>>

/** What a profile has besides its ids, traits, facts and results. It changes while a slice is applied. */
export interface ProfileRow {
  readonly id: number
  firstSeenAt: number | null
  lastSeenAt: number | null
  readonly counts: Counts
}

export const PROFILE_COLUMNS = 'id, first_seen_at, last_seen_at, counts'

export function profileRowOf(row: Row): ProfileRow {
  return {
    id: Number(row['id']),
    firstSeenAt: timeOrNull(row['first_seen_at']),
    lastSeenAt: timeOrNull(row['last_seen_at']),
    counts: readJson(row['counts']) ?? {},
  }
}

export function newProfileRow(id: number): ProfileRow {
  return { id, firstSeenAt: null, lastSeenAt: null, counts: {} }
}

/** The traits in a row of `profile_traits`, where there is one. */
export function storedTraitsOf(row: Row | undefined): StoredTraits {
  const stored = (row === undefined ? undefined : readJson(row['traits'])) as
    StoredTraits | undefined
  // Without a prototype, so that a trait named __proto__ is one like any other.
  return Object.assign(Object.create(null) as StoredTraits, stored)
}

/** Whether the first of two values of a trait wins: the newest event, whatever the order in which they are applied. */
export function isNewer(a: StoredTrait, b: StoredTrait | undefined): boolean {
  if (b === undefined) return true
  if (a[1] !== b[1]) return a[1] > b[1]
  if (a[2] !== b[2]) return a[2] > b[2]
  return a[3] > b[3]
}

/** Adds what `other` has to `row`: the sums of the counts, the widest time. */
export function mergeInto(row: ProfileRow, other: ProfileRow): void {
  for (const [type, count] of Object.entries(other.counts) as [EventType, number][])
    row.counts[type] = (row.counts[type] ?? 0) + count
  seeAt(row, other.firstSeenAt)
  seeAt(row, other.lastSeenAt)
}

/** Widens the time in which the profile was seen. */
export function seeAt(row: ProfileRow, at: number | null): void {
  if (at === null) return
  row.firstSeenAt = Math.min(row.firstSeenAt ?? at, at)
  row.lastSeenAt = Math.max(row.lastSeenAt ?? at, at)
}

import { type EventType, isJsonObject, type Json } from '@hookline/protocol'
import type { ProfileChange, ProfileId } from './profiles.ts'

// How an event changes a profile: the same in every backend.

/** A profile id, in a space. */
export interface SpacedId extends ProfileId {
  readonly space: string
}

/** A trait as it is stored. A removed one has the value `null`, so that an older event does not bring it back. */
export type StoredTrait = readonly [
  value: Json,
  at: number,
  receivedAt: number,
  eventId: string,
  sourceId: string,
]

export type StoredTraits = Record<string, StoredTrait>

/** What a profile has besides its ids, traits, facts and results. It changes while a slice is applied. */
export interface ProfileSums {
  firstSeenAt: number | null
  lastSeenAt: number | null
  /** Events by type. */
  readonly counts: Partial<Record<EventType, number>>
}

/** The profiles that one transaction changes, by their numbers. */
export interface ChangingProfiles {
  /** The profile of an id, which is made where it has none. `isSeen`: the id is more than the former one of an alias. */
  require(id: SpacedId, isSeen: boolean): number

  /** The sums of a profile, to be changed. */
  sums(profile: number): ProfileSums

  /** Sets a trait, unless what set it before is newer. */
  setTrait(profile: number, name: string, trait: StoredTrait): void

  /** Makes two profiles one, and returns it. */
  join(a: number, b: number): number
}

/** Applies an event to the profile of its user, but for its facts. Returns the profile. */
export function applyChange(profiles: ChangingProfiles, change: ProfileChange): number {
  const { type, timestamp, receivedAt, eventId, sourceId, traits = {} } = change
  const profile = profileOf(profiles, change)
  const sums = profiles.sums(profile)
  sums.counts[type] = (sums.counts[type] ?? 0) + 1
  seeAt(sums, timestamp)
  for (const [name, value] of Object.entries(traits)) {
    if (value === undefined) continue
    profiles.setTrait(profile, name, [value, timestamp, receivedAt, eventId, sourceId])
  }
  return profile
}

/** The ids that an event names; the profile of the first is that of the event. */
export function idsOf({ space, userId, anonymousId, joins }: ProfileChange): readonly SpacedId[] {
  const own: ProfileId =
    userId === undefined ? { kind: 'anonymous', id: anonymousId! } : { kind: 'user', id: userId }
  return [own, ...joins].map((id) => ({ space, ...id }))
}

/** The profile of the event, after it is one with the profiles that the event joins. */
function profileOf(profiles: ChangingProfiles, change: ProfileChange): number {
  const [own, ...joins] = idsOf(change)
  return joins.reduce(
    (profile, id) => {
      const isSeen = id.kind === 'anonymous' && id.id === change.anonymousId
      return profiles.join(profile, profiles.require(id, isSeen))
    },
    profiles.require(own!, true),
  )
}

/** Whether the first of two values of a trait wins: the newest event, whatever the order in which they are applied. */
export function isNewer(a: StoredTrait, b: StoredTrait | undefined): boolean {
  if (b === undefined) return true
  if (a[1] !== b[1]) return a[1] > b[1]
  if (a[2] !== b[2]) return a[2] > b[2]
  return a[3] > b[3]
}

/** Adds what `other` has to `sums`: the sums of the counts, the widest time. */
export function mergeInto(sums: ProfileSums, other: ProfileSums): void {
  for (const [type, count] of Object.entries(other.counts) as [EventType, number][])
    sums.counts[type] = (sums.counts[type] ?? 0) + count
  seeAt(sums, other.firstSeenAt)
  seeAt(sums, other.lastSeenAt)
}

/** Widens the time in which the profile was seen. */
function seeAt(sums: ProfileSums, at: number | null): void {
  if (at === null) return
  sums.firstSeenAt = Math.min(sums.firstSeenAt ?? at, at)
  sums.lastSeenAt = Math.max(sums.lastSeenAt ?? at, at)
}

/** Traits as they were read. Without a prototype, so that a trait named __proto__ is one like any other. */
export function traitsFrom(read: unknown): StoredTraits {
  const traits = Object.create(null) as StoredTraits
  // A damaged text may be JSON of another kind.
  for (const [name, trait] of Object.entries(read ?? {}))
    if (Array.isArray(trait)) traits[name] = trait as unknown as StoredTrait
  return traits
}

/** The counts of a row, from JSON; none if it is damaged. */
export function countsFrom(read: unknown): ProfileSums['counts'] {
  return isJsonObject(read) ? read : {}
}

import { DEFAULT_SPACE, type Json } from '@hookline/protocol'
import type { Announcement, LoadedProfile } from '../../../../src/backend/evaluations.ts'
import type {
  AppliedSlice,
  Profile,
  ProfileChange,
  ProfileId,
} from '../../../../src/backend/profiles.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import type { BackendHarness } from '../backend-harness.ts'

export const user = (id: string): ProfileId => ({ kind: 'user', id })
export const anonymous = (id: string): ProfileId => ({ kind: 'anonymous', id })

/** By default, an identify call from u1 at NOON. It has the anonymousId that it claims, like a call from a client. */
export function changeOf(
  position: number,
  { timestamp = NOON, ...change }: Partial<ProfileChange> = {},
): ProfileChange {
  const { anonymousId, type = 'identify', links = [] } = change
  const claimed = links.find(({ kind }) => kind === 'anonymous')
  const id = anonymousId === undefined ? { userId: 'u1' } : {}
  return {
    position,
    eventId: `evt_${String(position).padStart(6, '0')}`,
    messageId: `message ${String(position).padStart(6, '0')}`,
    sourceId: 'src_a',
    space: DEFAULT_SPACE,
    type: 'identify',
    links: [],
    hasPlaceholder: false,
    timestamp,
    receivedAt: timestamp,
    facts: [],
    ...id,
    ...(type === 'identify' && claimed !== undefined && { anonymousId: claimed.id }),
    ...change,
  }
}

/** Begins profiles if needed, and applies changes as the next slice. Their profiles become dirty at `at`. */
export async function follow(
  { backend: { profiles } }: BackendHarness,
  changes: readonly Partial<ProfileChange>[],
  at: number = NOON,
  maxLinks = 100,
): Promise<AppliedSlice | undefined> {
  await profiles.begin(maxLinks)
  const { through, purges } = await profiles.state()
  const after = through!
  const placed = changes.map((change, index) =>
    changeOf(change.position ?? after + index + 1, change),
  )
  const last = Math.max(after + 1, ...placed.map(({ position }) => position))
  return profiles.apply({ after, through: last, changes: placed, purges, at })
}

export async function profileOf(
  { backend }: BackendHarness,
  userId = 'u1',
  space = DEFAULT_SPACE,
): Promise<Profile | undefined> {
  return backend.profiles.find(space, userId)
}

/** The traits of a user, without their origin. */
export async function traitsOf(harness: BackendHarness, userId = 'u1'): Promise<object> {
  const { traits = {} } = (await profileOf(harness, userId)) ?? {}
  return Object.fromEntries(Object.entries(traits).map(([name, { value }]) => [name, value]))
}

/** The profile of a user as loaded for an evaluation. */
export async function loadProfile(
  { backend }: BackendHarness,
  userId = 'u1',
  space = DEFAULT_SPACE,
): Promise<LoadedProfile> {
  return (await backend.evaluations.loadUser(space, userId))!
}

/** Evaluates all due profiles, without results. Returns their userIds in order. */
export async function settle(
  { backend: { evaluations } }: BackendHarness,
  now: number = NOON,
): Promise<string[]> {
  const due = await evaluations.due(now, 10_000)
  await evaluations.commit(
    due.map(({ profileId, version }) => ({
      profileId,
      version,
      results: [],
      announcements: [],
      recheckAt: null,
    })),
  )
  return due.map(({ userIds }) => userIds.join())
}

/** An announcement of a value of aud_a to a user, with its event. */
export function announce(userId: string, number = 1, value: Json = true): Announcement {
  const messageId = `${userId} ${number}`
  return {
    computationId: 'aud_a',
    userId,
    value,
    number,
    at: NOON + number,
    event: acceptedEvent({
      sourceId: 'aud_a',
      userId,
      messageId,
      origin: { computationId: 'aud_a', destinationIds: ['dst_a'] },
    }),
  }
}

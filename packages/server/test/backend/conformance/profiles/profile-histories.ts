import type { Json } from '@hookline/protocol'
import { NOON } from '@hookline/testing/records/accepted-event'
import { describe, expect, test } from 'vitest'
import type { Profile, ProfileChange, ProfileId } from '../../../../src/backend/profiles.ts'
import { Chance } from '../../../audiences/random/chance.ts'
import type { OpenBackendHarness } from '../backend-harness.ts'
import { anonymous, follow, profileOf, user } from './profile-changes.ts'

const MAX_LINKS = 3

type Call = Partial<ProfileChange> &
  Required<Pick<ProfileChange, 'space' | 'timestamp' | 'eventId'>>

/** Calls from a few people on a few devices with different clocks, in one space per history. */
function historyOf(chance: Chance, space: string): readonly Call[] {
  const people = ['u1', 'u2', 'u3', 'u4'].slice(0, chance.integer(1, 4))
  const devices = ['d1', 'd2', 'd3', 'd4', 'd5'].slice(0, chance.integer(1, 5))
  return Array.from({ length: chance.integer(2, 12) }, (_, index): Call => {
    const timestamp = NOON + chance.integer(0, 5)
    const id = `${space} ${String(index).padStart(2, '0')}`
    const base = { space, timestamp, eventId: id, messageId: id }
    const receivedAt = NOON + 5 + chance.integer(0, 2)
    const device = chance.pick(devices)
    if (chance.is(0.2))
      return { ...base, receivedAt, anonymousId: device, traits: someTraits(chance) }
    const userId = chance.pick(people)
    const isOnDevice = chance.is(0.7)
    const links: ProfileId[] = isOnDevice ? [anonymous(device)] : []
    const ids = { userId, ...(isOnDevice && { anonymousId: device }) }
    if (chance.is(0.2)) {
      const former = chance.pick(people.filter((each) => each !== userId).concat('former'))
      return { ...base, receivedAt, ...ids, type: 'alias', links: [...links, user(former)] }
    }
    return { ...base, receivedAt, ...ids, links, traits: someTraits(chance) }
  })
}

function someTraits(chance: Chance): Record<string, Json> {
  return { [chance.pick(['plan', 'city'])]: chance.pick<Json>(['a', 'b', null]) }
}

interface Naive {
  readonly userIds: readonly string[]
  readonly anonymousIds: readonly string[]
  readonly traits: Readonly<Record<string, Json>>
  readonly calls: number
}

/** The users that aliases join with a user. */
function groupOf(calls: readonly Call[], userId: string): ReadonlySet<string> {
  const group = new Set([userId])
  // The set grows during the iteration.
  for (const each of group)
    for (const { type, userId: caller, links = [] } of calls) {
      if (type !== 'alias') continue
      const pair = [caller!, links.find(({ kind }) => kind === 'user')!.id]
      if (pair.includes(each)) pair.forEach((one) => group.add(one))
    }
  return group
}

/** Computes the profile of a user directly from the list of all calls. */
function naiveProfile(calls: readonly Call[], userId: string): Naive | undefined {
  const group = groupOf(calls, userId)
  const owned = new Map<string, Call>()
  for (const call of calls.toSorted(inOrder))
    for (const { kind, id } of call.links ?? [])
      if (kind === 'anonymous' && !owned.has(id)) owned.set(id, call)
  const linked = [...owned]
    .filter(([, call]) => group.has(call.userId!))
    .slice(0, MAX_LINKS)
    .map(([id]) => id)
  const own = calls.filter((call) =>
    call.userId === undefined ? linked.includes(call.anonymousId!) : group.has(call.userId),
  )
  const userIds = [...new Set(own.flatMap((call) => call.userId ?? []))].toSorted()
  if (
    !calls.some(
      ({ userId: caller, links = [] }) =>
        caller === userId || links.some(({ kind, id }) => kind === 'user' && id === userId),
    )
  )
    return undefined
  const traits: Record<string, Json> = {}
  const byTrait = own.toSorted(
    (a, b) =>
      a.timestamp - b.timestamp ||
      a.receivedAt! - b.receivedAt! ||
      (a.eventId < b.eventId ? -1 : 1),
  )
  for (const call of byTrait) Object.assign(traits, call.traits)
  return {
    userIds,
    anonymousIds: linked.toSorted(),
    traits: Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== null)),
    calls: own.length,
  }
}

function inOrder(a: Call, b: Call): number {
  return (
    a.timestamp - b.timestamp ||
    a.receivedAt! - b.receivedAt! ||
    (a.messageId! < b.messageId! ? -1 : 1)
  )
}

function shown(profile: Profile | undefined): Naive | undefined {
  if (profile === undefined) return undefined
  const traits = Object.entries(profile.traits).map(([name, { value }]) => [name, value])
  return {
    userIds: profile.userIds,
    anonymousIds: profile.anonymousIds,
    traits: Object.fromEntries(traits) as Naive['traits'],
    calls: Object.values(profile.counts).reduce((sum, count) => sum + count, 0),
  }
}

/** @param count the number of histories */
export function profileHistoriesConformance(open: OpenBackendHarness, count: number): void {
  describe('profiles', () => {
    test(`of ${count} random histories match a naive reference, in any order of arrival`, async () => {
      await using harness = await open()
      const seed = Number(process.env['HOOKLINE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
      const chance = new Chance(seed)
      const histories = Array.from({ length: count }, (_, index) =>
        historyOf(chance, `space${index}`),
      )
      const arriving = chance.shuffled(histories.flat())
      for (let from = 0; from < arriving.length; from += 500)
        await follow(harness, arriving.slice(from, from + 500), NOON, MAX_LINKS)
      for (const calls of histories)
        for (const userId of ['u1', 'u2', 'u3', 'u4']) {
          const [{ space }] = calls as [Call]
          const found = shown(await profileOf(harness, userId, space))
          expect(found, `seed ${seed}, ${JSON.stringify(calls)}`).toEqual(
            naiveProfile(calls, userId),
          )
        }
    }, 120_000)
  })
}

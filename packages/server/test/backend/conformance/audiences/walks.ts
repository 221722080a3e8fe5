import { describe, expect, test } from 'vitest'
import type { LoadedProfile, ProfileWalk } from '../../../../src/backend/evaluations.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { announce, follow, loadProfile } from '../profiles/profile-changes.ts'

/** The batches of a walk through the default space, without the empty last one. */
async function walk(
  { backend: { evaluations } }: BackendHarness,
  query: Partial<ProfileWalk> = {},
): Promise<(readonly LoadedProfile[])[]> {
  const batches: (readonly LoadedProfile[])[] = []
  for (let after: number | undefined = 0; after !== undefined;) {
    const batch = await evaluations.walk({ space: 'default', clauses: [], ...query, after })
    if (batch.length > 0) batches.push(batch)
    after = batch.at(-1)?.profileId
  }
  return batches
}

const idsOf = (profiles: readonly LoadedProfile[]): number[] =>
  profiles.map(({ profileId }) => profileId)

const usersOf = (batches: readonly (readonly LoadedProfile[])[]): string[] =>
  batches.flat().map(({ userIds }) => userIds.join())

export function walksConformance(open: OpenBackendHarness): void {
  describe('a walk', () => {
    test('loads every profile of a space once, in batches, in the order of their ids', async () => {
      await using harness = await open()
      const users = Array.from({ length: 600 }, (_, index) => `u${index}`)
      await follow(
        harness,
        users.flatMap((userId) => [{ userId }, { space: 'other', userId }]),
      )
      const batches = await walk(harness)
      expect(batches.map(({ length }) => length)).toEqual([250, 250, 100])
      const ids = batches.flatMap(idsOf)
      expect(ids).toEqual(ids.toSorted((a, b) => a - b))
      expect(usersOf(batches).toSorted()).toEqual(users.toSorted())
      expect(batches.flat().every(({ space }) => space === 'default')).toBe(true)
      expect(await walk(harness, { space: 'none' })).toEqual([])
    })

    test('of a sample loads every nth profile', async () => {
      await using harness = await open()
      await follow(
        harness,
        Array.from({ length: 1_100 }, (_, index) => ({ userId: `u${index}` })),
      )
      const all = (await walk(harness)).flatMap(idsOf)
      const sampled = await walk(harness, { every: 4 })
      expect(sampled.map(({ length }) => length)).toEqual([250, 25])
      expect(sampled.flatMap(idsOf)).toEqual(all.filter((_, index) => index % 4 === 3))
    })

    test('loads profiles like `load`, but only the requested facts and announcements', async () => {
      await using harness = await open()
      const { evaluations, facts, memberships } = harness.backend
      const retention = { maxAgeMs: null, maxCount: 2 }
      const put = async (definition: string): Promise<number> =>
        (await facts.put({ definition, retention, reachesBackTo: null })).number
      const [a, b] = [await put('a'), await put('b')]
      const counted = [a, b].map((clause) => ({ clause, value: clause }))
      await follow(harness, [
        { userId: 'u1', traits: { plan: 'pro' }, facts: counted },
        { userId: 'u1', timestamp: NOON + 2, facts: counted },
        { userId: 'u1', timestamp: NOON + 1, facts: counted },
      ])
      const list = { audienceId: 'aud_list', space: 'default' }
      await memberships.changeList(list, { add: ['u1'], remove: [], at: NOON })
      const { profileId, version } = await loadProfile(harness)
      const results = [{ computationId: 'aud_b', value: true, since: NOON }]
      const announcements = [
        announce('u1'),
        { ...announce('u1', 2), computationId: 'aud_b', number: 1 },
      ]
      await evaluations.commit([
        { profileId, version, results, announcements, recheckAt: NOON + 9 },
      ])
      const profile = await loadProfile(harness)
      expect(profile).toMatchObject({ isDirty: false, recheckAt: NOON + 9 })
      expect([profile.announced.size, profile.facts.get(b)!.length]).toEqual([2, 2])
      const all = { clauses: [a, b, 999], computationId: 'aud_a' }
      const announced = new Map([['aud_a', profile.announced.get('aud_a')]])
      expect(await walk(harness, all)).toEqual([[{ ...profile, announced }]])
      const only = { ...profile, announced: new Map(), facts: new Map([[b, profile.facts.get(b)]]) }
      expect(await walk(harness, { clauses: [b] })).toEqual([[only]])
    })

    test('has smaller batches of large profiles, and a very large profile alone', async () => {
      await using harness = await open()
      const text = (length: number): string => 'x'.repeat(length)
      await follow(harness, [
        { userId: 'a', traits: { a: text(200_000) } },
        { userId: 'b', traits: { a: text(200_000) } },
        { userId: 'c', traits: { a: text(1_000_000) } },
        { userId: 'd' },
      ])
      const batches = await walk(harness)
      expect(batches.map((batch) => usersOf([batch]).join())).toEqual(['a,b', 'c', 'd'])
    })

    test('shows which profiles are dirty and when they are due', async () => {
      await using harness = await open()
      await follow(harness, [{ userId: 'dirty' }, { userId: 'later' }])
      const { profileId, version } = await loadProfile(harness, 'later')
      const settled = { results: [], announcements: [], recheckAt: NOON + 1 }
      await harness.backend.evaluations.commit([{ profileId, version, ...settled }])
      expect(await walk(harness)).toMatchObject([
        [
          { userIds: ['dirty'], isDirty: true, recheckAt: null },
          { userIds: ['later'], isDirty: false, recheckAt: NOON + 1 },
        ],
      ])
    })
  })

  test('profiles are found by ids, and unknown ids have none', async () => {
    await using harness = await open()
    await follow(harness, [
      { userId: 'u1', links: [{ kind: 'anonymous', id: 'a1' }] },
      { space: 'other', userId: 'u1' },
    ])
    const [own, other] = [await loadProfile(harness), await loadProfile(harness, 'u1', 'other')]
    const found = await harness.backend.evaluations.profilesOf([
      { space: 'default', kind: 'anonymous', id: 'a1' },
      { space: 'other', kind: 'user', id: 'u1' },
      { space: 'default', kind: 'user', id: 'a1' },
      { space: 'default', kind: 'user', id: 'u1' },
    ])
    expect(found).toEqual([own.profileId, other.profileId, undefined, own.profileId])
    expect(await harness.backend.evaluations.profilesOf([])).toEqual([])
  })
}

import { describe, expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { purgeUser } from '../deletions/purge-requests.ts'
import {
  anonymous,
  follow,
  loadProfile,
  profileOf,
  settle,
  traitsOf,
  user,
} from './profile-changes.ts'

/** A call from a user on a device, `timestamp` milliseconds after NOON. */
const on = (device: string, userId: string, timestamp: number, traits = {}) => ({
  userId,
  traits,
  links: [anonymous(device)],
  timestamp: NOON + timestamp,
})

async function idsOf(harness: BackendHarness, userId: string): Promise<readonly string[]> {
  const { userIds = [], anonymousIds = [] } = (await profileOf(harness, userId)) ?? {}
  return [...userIds, ...anonymousIds]
}

export function profileLinksConformance(open: OpenBackendHarness): void {
  describe('on a shared device', () => {
    test('two users are kept separate, and the device belongs to the first one', async () => {
      await using harness = await open()
      await follow(harness, [
        { anonymousId: 'tablet', traits: { from: 'ad' }, timestamp: NOON },
        on('tablet', 'bob', 1, { plan: 'pro' }),
        on('tablet', 'alice', 2, { plan: 'free' }),
      ])
      expect(await idsOf(harness, 'bob')).toEqual(['bob', 'tablet'])
      expect(await idsOf(harness, 'alice')).toEqual(['alice'])
      expect(await traitsOf(harness, 'bob')).toEqual({ from: 'ad', plan: 'pro' })
      expect(await traitsOf(harness, 'alice')).toEqual({ plan: 'free' })
    })

    test('an earlier call that arrives late claims the device with its history', async () => {
      await using harness = await open()
      await follow(harness, [
        { anonymousId: 'tablet', traits: { from: 'ad' }, timestamp: NOON },
        on('tablet', 'alice', 2),
      ])
      await settle(harness)
      await harness.reopen()
      await follow(harness, [on('tablet', 'bob', 1)])
      expect((await settle(harness)).toSorted()).toEqual(['alice', 'bob'])
      expect(await traitsOf(harness, 'bob')).toEqual({ from: 'ad' })
      expect(await traitsOf(harness, 'alice')).toEqual({})
      expect(await idsOf(harness, 'alice')).toEqual(['alice'])
    })

    test('of simultaneous claims, the one received first wins, then the lower messageId', async () => {
      await using harness = await open()
      const at = { timestamp: NOON, links: [anonymous('a1')] }
      await follow(harness, [
        { ...at, userId: 'u1', receivedAt: NOON + 2, messageId: 'a' },
        { ...at, userId: 'u2', receivedAt: NOON + 1, messageId: 'c' },
        { ...at, userId: 'u3', receivedAt: NOON + 1, messageId: 'b' },
      ])
      expect(await idsOf(harness, 'u3')).toEqual(['u3', 'a1'])
      expect(await idsOf(harness, 'u1')).toEqual(['u1'])
      expect(await idsOf(harness, 'u2')).toEqual(['u2'])
    })

    test('a profile shows the call behind each link, and refused links', async () => {
      await using harness = await open()
      await follow(harness, [
        on('tablet', 'bob', 1),
        on('phone', 'alice', 2),
        on('tablet', 'alice', 3),
        { userId: 'alice', hasPlaceholder: true },
        { userId: 'alice', type: 'alias', links: [user('ada')] },
      ])
      const from = { sourceId: 'src_a' }
      expect(await profileOf(harness, 'alice')).toMatchObject({
        links: [
          { kind: 'user', id: 'alice', userId: 'ada', at: NOON, eventId: 'evt_000005', ...from },
          { kind: 'anonymous', id: 'phone', userId: 'alice', at: NOON + 2, eventId: 'evt_000002' },
        ],
        unlinkedIds: {
          otherUser: {
            count: 1,
            links: [{ kind: 'anonymous', id: 'tablet', at: NOON + 3, eventId: 'evt_000003' }],
          },
          limit: { count: 0, links: [] },
          placeholders: 1,
        },
      })
    })
  })

  test('a slice reports each unlinked id once, and the size of the largest profile', async () => {
    await using harness = await open()
    const calls = [
      on('d1', 'bob', 1),
      on('d1', 'alice', 2),
      on('d2', 'bob', 3),
      { ...on('d3', 'bob', 4), sourceId: 'src_b' },
      { userId: 'bob', hasPlaceholder: true },
    ]
    const unlinked = [
      { sourceId: 'src_a', reason: 'other_user', ids: 1 },
      { sourceId: 'src_b', reason: 'limit', ids: 1 },
      { sourceId: 'src_a', reason: 'placeholder', ids: 1 },
    ]
    expect(await follow(harness, calls, NOON, 2)).toEqual({ unlinked, largest: 3 })
    const again = [unlinked.at(-1)]
    expect(await follow(harness, calls, NOON, 2)).toEqual({ unlinked: again, largest: 0 })
  })

  describe('the anonymousIds of a profile', () => {
    test('are the first claimed ones up to the limit, in any order of arrival, and others are counted', async () => {
      await using harness = await open()
      const calls = [4, 2, 3, 1, 5].map((time) => on(`d${time}`, 'u1', time))
      for (const call of calls) await follow(harness, [call], NOON, 2)
      expect(await idsOf(harness, 'u1')).toEqual(['u1', 'd1', 'd2'])
      const { unlinkedIds } = (await profileOf(harness, 'u1'))!
      expect(unlinkedIds.limit.count).toBe(3)
      expect(await harness.backend.profiles.count('default')).toBe(4)
    })

    test('are limited even if aliases join users', async () => {
      await using harness = await open()
      await follow(
        harness,
        [
          on('d1', 'u1', 1),
          on('d3', 'u1', 3),
          on('d2', 'u2', 2),
          on('d4', 'u2', 4),
          { userId: 'u1', type: 'alias', links: [user('u2')] },
        ],
        NOON,
        2,
      )
      expect(await idsOf(harness, 'u1')).toEqual(['u1', 'u2', 'd1', 'd2'])
    })
  })

  describe('an alias', () => {
    test('with two anonymousIds and room for one links the first by name, in any order of arrival', async () => {
      await using harness = await open()
      const alias = {
        userId: 'u1',
        type: 'alias',
        links: [anonymous('b'), anonymous('a')],
      } as const
      const visit = { anonymousId: 'b', type: 'track', links: [] } as const
      await follow(harness, [visit, alias], NOON, 1)
      await follow(
        harness,
        [
          { ...alias, space: 'other' },
          { ...visit, space: 'other' },
        ],
        NOON,
        1,
      )
      for (const space of ['default', 'other'])
        expect((await profileOf(harness, 'u1', space))!.links.map(({ id }) => id)).toEqual(['a'])
    })

    test('that joins too many users is shown as refused, and is removed with the user', async () => {
      await using harness = await open()
      const aliases = Array.from({ length: 120 }, (_, index) => ({
        userId: 'u1',
        type: 'alias' as const,
        links: [user(`former-${String(index).padStart(3, '0')}`)],
        timestamp: NOON + index,
      }))
      await follow(harness, aliases)
      const { unlinkedIds } = (await profileOf(harness))!
      expect(unlinkedIds.limit.count).toBe(21)
      expect(unlinkedIds.limit.links[0]).toMatchObject({ kind: 'user', id: 'former-099' })
      await purgeUser(harness, 'u1')
      expect(await harness.backend.profiles.count('default')).toBe(0)
    })

    test('of the first user of a device shares the device with the other user', async () => {
      await using harness = await open()
      const applied = await follow(harness, [
        on('d1', 'bob', 1),
        { userId: 'bob', type: 'alias', links: [user('rob')] },
        on('d1', 'rob', 2),
      ])
      expect(applied).toEqual({ unlinked: [], largest: 3 })
    })
  })

  describe('a purge of a user', () => {
    test('removes the anonymousIds linked to the user, and no data of others', async () => {
      await using harness = await open()
      await follow(harness, [
        { anonymousId: 'tablet', traits: { from: 'ad' }, timestamp: NOON },
        on('tablet', 'bob', 1, { plan: 'pro' }),
        on('phone', 'bob', 1),
        on('tablet', 'alice', 2, { plan: 'free' }),
      ])
      await purgeUser(harness, 'bob')
      expect(await profileOf(harness, 'bob')).toBeUndefined()
      expect(await traitsOf(harness, 'alice')).toEqual({ plan: 'free' })
      // alice's claim on `tablet` is the next one. No data from before it is left.
      expect(await idsOf(harness, 'alice')).toEqual(['alice', 'tablet'])
      expect(await harness.backend.profiles.count('default')).toBe(1)
      await purgeUser(harness, 'alice')
      expect(await harness.backend.profiles.count('default')).toBe(0)
    })

    test('keeps users joined with the user by an alias, without results until they are evaluated', async () => {
      await using harness = await open()
      const { evaluations, memberships, profiles } = harness.backend
      await follow(harness, [
        { userId: 'u1', traits: { of: 'u1' } },
        { userId: 'u2', traits: { own: 'u2' }, links: [user('u1')], type: 'alias' },
        { userId: 'u2', traits: { own: 'u2' } },
        { userId: 'u3', links: [user('u2')], type: 'alias' },
      ])
      const [due] = await evaluations.due(NOON, 9)
      const { profileId, version } = due!
      const results = [{ computationId: 'aud_a', value: true, since: NOON }]
      await evaluations.commit([
        { profileId, version, results, announcements: [], recheckAt: null },
      ])
      await purgeUser(harness, 'u1')
      expect(await idsOf(harness, 'u2')).toEqual(['u2', 'u3'])
      expect(await traitsOf(harness, 'u3')).toEqual({ own: 'u2' })
      expect((await loadProfile(harness, 'u3')).results.size).toBe(0)
      // The only profile left is evaluated again.
      expect(await settle(harness)).toEqual(['u2,u3'])
      await purgeUser(harness, 'u2')
      expect(await idsOf(harness, 'u3')).toEqual(['u3'])
      expect(Object.fromEntries(await memberships.sizes())).toEqual({ aud_a: 0 })
      expect(await profiles.count('default')).toBe(1)
    })

    test('leaves an anonymousId unlinked and empty if the next user has no room for it', async () => {
      await using harness = await open()
      const calls = [on('d1', 'next', 1), on('d2', 'gone', 2), on('d2', 'next', 3)]
      const visit = { anonymousId: 'd2', traits: { from: 'ad' }, timestamp: NOON }
      await follow(harness, [visit, ...calls], NOON, 1)
      await settle(harness)
      await purgeUser(harness, 'gone')
      const { profiles, evaluations } = harness.backend
      expect(await profiles.count('default')).toBe(2)
      expect(await idsOf(harness, 'next')).toEqual(['next', 'd1'])
      expect((await profileOf(harness, 'next'))!.unlinkedIds.limit.count).toBe(1)
      const due = await evaluations.due(NOON + 60_000, 9)
      expect(due.map(({ userIds, traits }) => [userIds, traits])).toContainEqual([[], {}])
    })

    test('removes the user as a former id in aliases of others', async () => {
      await using harness = await open()
      const alias = {
        userId: 'other',
        type: 'alias',
        links: [user('u1'), anonymous('u1')],
      } as const
      await follow(harness, [alias, { anonymousId: 'a1' }])
      await purgeUser(harness, 'u1')
      expect((await profileOf(harness, 'other'))!.links).toEqual([])
      await follow(harness, [{ ...alias, links: [user('a1'), anonymous('a1')] }])
      await purgeUser(harness, 'a1')
      // It was also seen as an anonymousId, which was not purged.
      expect((await profileOf(harness, 'other'))!.links).toMatchObject([
        { kind: 'anonymous', id: 'a1' },
      ])
    })

    test('removes any number of anonymousIds of the user', async () => {
      await using harness = await open()
      const devices = Array.from({ length: 4_100 }, (_, index) => `d${index}`)
      for (let from = 0; from < devices.length; from += 1_000)
        await follow(
          harness,
          devices
            .slice(from, from + 1_000)
            .flatMap((device, index) => [
              { anonymousId: device, traits: { device }, timestamp: NOON },
              on(device, 'u1', from + index + 1),
            ]),
        )
      await follow(harness, [on('d4000', 'u2', 9_000)])
      await purgeUser(harness, 'u1')
      const { profiles, evaluations } = harness.backend
      expect(await profiles.count('default')).toBe(1)
      expect(await idsOf(harness, 'u2')).toEqual(['u2', 'd4000'])
      expect((await evaluations.due(NOON + 60_000, 9)).map(({ traits }) => traits)).toEqual([{}])
    })

    test('separates users joined only by an alias of the user', async () => {
      await using harness = await open()
      await follow(harness, [
        { userId: 'u1' },
        { userId: 'u2', links: [user('u1')], type: 'alias' },
        { userId: 'u3', links: [user('u2')], type: 'alias' },
        { userId: 'u3' },
      ])
      await purgeUser(harness, 'u2')
      expect(await idsOf(harness, 'u1')).toEqual(['u1'])
      expect(await idsOf(harness, 'u3')).toEqual(['u3'])
      expect(await harness.backend.profiles.count('default')).toBe(2)
    })
  })
}

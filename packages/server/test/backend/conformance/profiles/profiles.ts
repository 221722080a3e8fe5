import { DEFAULT_SPACE } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import type { OpenBackendHarness } from '../backend-harness.ts'
import { anonymous, changeOf, follow, loadProfile, profileOf, settle } from './profile-changes.ts'
import { purgeUser } from '../deletions/purge-requests.ts'

export function profilesConformance(open: OpenBackendHarness): void {
  describe('profiles', () => {
    test('are not stored before they begin, and then follow the log from its oldest event', async () => {
      await using harness = await open()
      const { profiles } = harness.backend
      expect(await profiles.state()).toEqual({ through: null, purges: 0 })
      const slice = { through: 1, changes: [changeOf(1)], purges: 0, at: NOON }
      expect(await profiles.apply({ ...slice, after: 0 })).toBeUndefined()
      await profiles.begin(100)
      await profiles.begin(100)
      expect(await profiles.state()).toEqual({ through: 0, purges: 0 })
      expect(await profiles.apply({ ...slice, after: 0 })).toBeDefined()
      await profiles.begin(100)
      await harness.reopen()
      expect(await harness.backend.profiles.state()).toEqual({ through: 1, purges: 0 })
    })

    test('are unchanged by a restart', async () => {
      await using harness = await open()
      const when = { timestamp: NOON - 5, receivedAt: NOON }
      await follow(harness, [
        { ...when, traits: { plan: 'pro', address: { city: 'Rom' } } },
        { type: 'track', timestamp: NOON - 9, sourceId: 'src_b' },
        { links: [anonymous('a1')], timestamp: NOON + 3 },
      ])
      await harness.reopen()
      const from = { at: NOON - 5, eventId: 'evt_000001', sourceId: 'src_a' }
      expect(await profileOf(harness)).toEqual({
        space: DEFAULT_SPACE,
        userIds: ['u1'],
        anonymousIds: ['a1'],
        links: [expect.objectContaining({ kind: 'anonymous', id: 'a1', eventId: 'evt_000003' })],
        unlinkedIds: {
          otherUser: { links: [], count: 0 },
          limit: { links: [], count: 0 },
          placeholders: 0,
        },
        traits: { plan: { value: 'pro', ...from }, address: { value: { city: 'Rom' }, ...from } },
        computed: {},
        audiences: {},
        counts: { identify: 2, track: 1 },
        firstSeenAt: NOON - 9,
        lastSeenAt: NOON + 3,
      })
      expect(await profileOf(harness, 'u2')).toBeUndefined()
    })

    test('refuse a slice that does not begin at the cursor', async () => {
      await using harness = await open()
      const { profiles } = harness.backend
      await follow(harness, [{}, {}])
      const slice = { changes: [changeOf(9, { userId: 'u2' })], purges: 0, at: NOON }
      for (const after of [0, 1, 3]) {
        expect(await profiles.apply({ ...slice, after, through: 9 })).toBeUndefined()
      }
      expect(await profileOf(harness, 'u2')).toBeUndefined()
      expect(await profiles.state()).toEqual({ through: 2, purges: 0 })
    })

    test('apply a repeated slice once', async () => {
      await using harness = await open()
      const { profiles } = harness.backend
      await profiles.begin(100)
      const slice = {
        after: 0,
        through: 7,
        purges: 0,
        at: NOON,
        changes: [changeOf(4, { type: 'track' })],
      }
      const results = await Promise.all([profiles.apply(slice), profiles.apply(slice)])
      expect(results.filter(Boolean)).toHaveLength(1)
      await harness.reopen()
      expect(await harness.backend.profiles.apply(slice)).toBeUndefined()
      expect(await profileOf(harness)).toMatchObject({ counts: { track: 1 } })
      expect(await harness.backend.profiles.state()).toMatchObject({ through: 7 })
    })

    test('advance past a slice without changes', async () => {
      await using harness = await open()
      const { profiles } = harness.backend
      await profiles.begin(100)
      const slice = { after: 0, through: 5, changes: [], purges: 0, at: NOON }
      expect(await profiles.apply(slice)).toBeDefined()
      expect(await profiles.state()).toMatchObject({ through: 5 })
    })

    test('refuse a slice read before a purge', async () => {
      await using harness = await open()
      const { profiles } = harness.backend
      await profiles.begin(100)
      const { purges } = await profiles.state()
      await purgeUser(harness, 'u1')
      const slice = { after: 0, through: 5, changes: [changeOf(1)], at: NOON }
      expect(await profiles.apply({ ...slice, purges })).toBeUndefined()
      expect(await profileOf(harness)).toBeUndefined()
      const now = await profiles.state()
      expect(now.through).toBe(0)
      expect(await profiles.apply({ ...slice, purges: now.purges })).toBeDefined()
    })

    test('are unchanged by a slice that fails halfway, and continue with the next', async () => {
      await using harness = await open()
      await follow(harness, [{ traits: { plan: 'free' } }])
      const broken = { timestamp: 0.5, facts: [{ clause: 1, value: null }] }
      const attempt = follow(harness, [
        { traits: { plan: 'pro' }, links: [anonymous('a')] },
        broken,
      ])
      await expect(attempt).rejects.toThrow()
      expect(await harness.backend.profiles.state()).toMatchObject({ through: 1 })
      expect(await follow(harness, [{ type: 'track' }])).toBeDefined()
      expect(await profileOf(harness)).toMatchObject({
        anonymousIds: [],
        traits: { plan: { value: 'free' } },
        counts: { identify: 1, track: 1 },
      })
    })

    test('prevent the removal of events that they have not applied', async () => {
      await using harness = await open()
      const { profiles, log, upkeep, events } = harness.backend
      const stop = new AbortController()
      const [first, second] = [acceptedEvent(), acceptedEvent()]
      await log.append([first, second])
      for await (const entries of log.consume({ signal: stop.signal })) {
        const received = entries.flatMap((entry) => entry.events)
        await events.archive(received.map((event) => ({ event, declined: [] })))
        await log.ack(entries)
        stop.abort()
      }
      await profiles.begin(100)
      expect((await upkeep.removeOldest({})).removed).toBe(0)
      await follow(harness, [{}])
      expect((await upkeep.removeOldest({})).removed).toBe(1)
      expect(await events.find(second.id)).toMatchObject({ id: second.id })
    })

    test('are separate in each space', async () => {
      await using harness = await open()
      const { profiles } = harness.backend
      const awkward = ['a', 'a b', 'a\u0000b', 'ö', '']
      await follow(harness, [
        { traits: { a: 1 } },
        ...awkward.map((space) => ({ space, userId: 'b c', traits: { space } })),
        { space: 'a', userId: 'b b c', links: [anonymous('x')] },
        { space: 'a b', anonymousId: 'x' },
      ])
      for (const space of awkward)
        expect((await profileOf(harness, 'b c', space))?.traits['space']?.value).toBe(space)
      const counts = await Promise.all([DEFAULT_SPACE, ...awkward].map((s) => profiles.count(s)))
      expect(counts).toEqual([1, 2, 2, 1, 1, 1])
      expect(await profiles.count('none')).toBe(0)
    })

    test('are counted when they are created, merged and removed', async () => {
      await using harness = await open()
      const { profiles } = harness.backend
      await follow(harness, [{ userId: 'u1' }, { userId: 'u2' }, { anonymousId: 'a' }])
      expect(await profiles.count(DEFAULT_SPACE)).toBe(3)
      await follow(harness, [{ userId: 'u1', links: [anonymous('a'), anonymous('new')] }])
      expect(await profiles.count(DEFAULT_SPACE)).toBe(2)
      await purgeUser(harness, 'u2')
      expect(await profiles.count(DEFAULT_SPACE)).toBe(1)
      await harness.reopen()
      expect(await harness.backend.profiles.count(DEFAULT_SPACE)).toBe(1)
    })
  })

  describe('a profile is dirty', () => {
    test.each([
      ['when it is new', { userId: 'u2', type: 'track' }, 'u2'],
      ['when a trait has changed', { traits: { plan: 'pro' } }, 'u1'],
      ['when a trait is new', { traits: { age: 7 } }, 'u1'],
      ['when a trait is removed', { traits: { plan: null } }, 'u1'],
      ['when it gets another id', { links: [anonymous('a1')] }, 'u1'],
      ['when it gets a fact', { type: 'track', facts: [{ clause: 1, value: null }] }, 'u1'],
    ] as const)('%s', async (_, change, expected) => {
      await using harness = await open()
      await follow(harness, [{ traits: { plan: 'free' } }])
      const { version } = await loadProfile(harness)
      await settle(harness)
      await follow(harness, [{ timestamp: NOON + 1, ...change }])
      expect(await settle(harness)).toEqual([expected])
      expect((await loadProfile(harness, expected)).version).toBeGreaterThan(version)
    })
  })

  test.each([
    ['an event without new data', { type: 'track' }],
    ['unchanged traits', { traits: { plan: 'free' } }],
    ['an older value of a trait', { traits: { plan: 'pro' }, timestamp: NOON - 1 }],
    ['an id that it already has', { links: [anonymous('a0')] }],
  ] as const)('a profile is not dirty after %s', async (_, change) => {
    await using harness = await open()
    await follow(harness, [{ traits: { plan: 'free' }, links: [anonymous('a0')] }])
    await settle(harness)
    const { version } = await loadProfile(harness)
    await follow(harness, [{ timestamp: NOON + 1, ...change }])
    expect(await settle(harness)).toEqual([])
    expect((await loadProfile(harness)).version).toBe(version)
  })
}

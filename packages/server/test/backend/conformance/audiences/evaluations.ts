import type { AcceptedEvent } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import type { EvaluatedProfile, LoadedProfile } from '../../../../src/backend/evaluations.ts'
import { CONDITION_MS } from '@hookline/testing/run/condition-ms'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { announce, follow, loadProfile, profileOf, settle } from '../profiles/profile-changes.ts'
import { purgeUser } from '../deletions/purge-requests.ts'

const evaluatedOf = (
  { profileId, version }: Pick<LoadedProfile, 'profileId' | 'version'>,
  change: Partial<EvaluatedProfile> = {},
): EvaluatedProfile => ({
  profileId,
  version,
  results: [],
  announcements: [],
  recheckAt: null,
  ...change,
})

const entered = (computationId = 'aud_a', since = NOON) => ({ computationId, value: true, since })

/** Commits an evaluation with `change` for each due profile. */
async function commitAll(
  { backend: { evaluations } }: BackendHarness,
  change: (profile: LoadedProfile) => Partial<EvaluatedProfile>,
): Promise<number> {
  const due = await evaluations.due(NOON, 100)
  const evaluated = due.map((profile) => evaluatedOf(profile, change(profile)))
  return (await evaluations.commit(evaluated)).length
}

/** Creates profiles and commits two announcements for each. Returns their events. */
async function announceTwice(
  harness: BackendHarness,
  userIds: readonly string[],
): Promise<readonly AcceptedEvent[]> {
  const { evaluations } = harness.backend
  await follow(
    harness,
    userIds.map((userId) => ({ userId })),
  )
  const due = await evaluations.due(NOON, 9)
  const evaluated = due.map((profile) =>
    evaluatedOf(profile, {
      announcements: [1, 2].map((number) => announce(profile.userIds[0]!, number)),
    }),
  )
  const stored = await evaluations.commit(evaluated)
  return stored.flatMap(({ announcements }) => announcements.map(({ event }) => event))
}

/** Consumes at least `count` events from the log, without acks. */
async function consumed({ backend }: BackendHarness, count: number): Promise<AcceptedEvent[]> {
  const stop = new AbortController()
  const events: AcceptedEvent[] = []
  for await (const entries of backend.log.consume({ signal: stop.signal })) {
    events.push(...entries.flatMap((entry) => entry.events))
    if (events.length >= count) break
  }
  return events
}

export function evaluationsConformance(open: OpenBackendHarness): void {
  describe('due profiles', () => {
    test('are the dirty ones, oldest change first, then those due for a recheck', async () => {
      await using harness = await open()
      const { evaluations } = harness.backend
      await follow(harness, [{ userId: 'late' }, { userId: 'soon' }, { userId: 'never' }])
      const recheckAt: Record<string, number | null> = {
        late: NOON + 9,
        soon: NOON + 5,
        never: null,
      }
      await commitAll(harness, ({ userIds }) => ({ recheckAt: recheckAt[userIds[0]!]! }))
      await follow(harness, [{ userId: 'second' }], NOON + 8)
      await follow(harness, [{ userId: 'first' }], NOON + 7)
      const due = async (now: number, limit = 9): Promise<string[]> =>
        (await evaluations.due(now, limit)).map(({ userIds }) => userIds.join())
      expect(await due(NOON + 4)).toEqual(['first', 'second'])
      expect(await due(NOON + 5)).toEqual(['first', 'second', 'soon'])
      expect(await due(NOON + 99)).toEqual(['first', 'second', 'soon', 'late'])
      expect(await due(NOON + 99, 3)).toEqual(['first', 'second', 'soon'])
      expect(await due(NOON + 99, 1)).toEqual(['first'])
      await harness.reopen()
      expect(await harness.backend.evaluations.due(NOON + 99, 9)).toHaveLength(4)
    })

    test('appear once, and keep their place when they change again', async () => {
      await using harness = await open()
      const { evaluations } = harness.backend
      await follow(harness, [{ userId: 'u1' }], NOON)
      await follow(harness, [{ userId: 'u2' }], NOON + 1)
      await follow(harness, [{ userId: 'u1', traits: { a: 1 } }], NOON + 2)
      const [first] = await evaluations.due(NOON, 9)
      await evaluations.commit([evaluatedOf(first!, { recheckAt: NOON })])
      await follow(harness, [{ userId: 'u1', traits: { a: 2 } }], NOON + 3)
      const due = await evaluations.due(NOON + 9, 9)
      expect(due.map(({ userIds }) => userIds.join())).toEqual(['u2', 'u1'])
    })

    test('are reported with their number and the oldest time', async () => {
      await using harness = await open()
      const { evaluations } = harness.backend
      expect(await evaluations.waiting(NOON)).toEqual({ profiles: 0, since: null })
      await follow(harness, [{ userId: 'u1' }, { userId: 'u2' }], NOON - 3)
      await commitAll(harness, ({ userIds }) => ({
        recheckAt: userIds[0] === 'u1' ? NOON - 1 : NOON + 5,
      }))
      expect(await evaluations.waiting(NOON - 2)).toEqual({ profiles: 0, since: null })
      expect(await evaluations.waiting(NOON)).toEqual({ profiles: 1, since: NOON - 1 })
      await follow(harness, [{ userId: 'u3' }], NOON + 2)
      await follow(harness, [{ userId: 'u1', traits: { a: 1 } }], NOON + 3)
      expect(await evaluations.waiting(NOON + 5)).toEqual({ profiles: 3, since: NOON + 2 })
    })
  })

  describe('a loaded profile', () => {
    test('has everything that a computation can use', async () => {
      await using harness = await open()
      const { evaluations, memberships, facts } = harness.backend
      const retention = { maxAgeMs: null, maxCount: 9 }
      const { number } = await facts.put({ definition: 'a', retention, reachesBackTo: null })
      await follow(harness, [
        { userId: 'b', traits: { plan: 'pro', gone: 1, deep: { a: [1] } } },
        { userId: 'b', traits: { gone: null }, timestamp: NOON + 1 },
        { userId: 'a', links: [{ kind: 'user', id: 'b' }], facts: [{ clause: number, value: 5 }] },
      ])
      await memberships.changeList(
        { audienceId: 'aud_list', space: 'default' },
        { add: ['b'], remove: [], at: NOON },
      )
      await commitAll(harness, () => ({
        results: [entered('aud_a', NOON - 1), { ...entered('trt_a'), value: [1, 'x'] }],
        announcements: [announce('a', 7), announce('b')],
      }))
      const profile = await loadProfile(harness, 'a')
      expect(profile).toEqual({
        profileId: profile.profileId,
        space: 'default',
        version: profile.version,
        isDirty: false,
        recheckAt: null,
        userIds: ['a', 'b'],
        traits: { plan: 'pro', deep: { a: [1] } },
        facts: new Map([[number, [{ at: NOON, position: 3, value: 5 }]]]),
        results: new Map([
          ['aud_a', { value: true, since: NOON - 1 }],
          ['trt_a', { value: [1, 'x'], since: NOON }],
        ]),
        announced: new Map([
          [
            'aud_a',
            new Map([
              ['a', { value: true, number: 7, at: NOON + 7 }],
              ['b', { value: true, number: 1, at: NOON + 1 }],
            ]),
          ],
        ]),
        manual: new Set(['aud_list']),
      })
      expect(await evaluations.load([profile.profileId, 999])).toEqual([profile])
      expect(await evaluations.loadUser('default', 'none')).toBeUndefined()
      expect(await evaluations.loadUser('other', 'a')).toBeUndefined()
    })

    test('may have no userId', async () => {
      await using harness = await open()
      await follow(harness, [{ anonymousId: 'a' }])
      const [profile] = await harness.backend.evaluations.due(NOON, 9)
      expect(profile).toMatchObject({ userIds: [], traits: {} })
    })
  })

  describe('a commit', () => {
    test('stores and removes results', async () => {
      await using harness = await open()
      const { evaluations, memberships } = harness.backend
      await follow(harness, [{ userId: 'u1' }, { userId: 'u2' }])
      expect(await commitAll(harness, () => ({ results: [entered()] }))).toBe(2)
      expect(await memberships.sizes()).toEqual(new Map([['aud_a', 2]]))
      const left = { computationId: 'aud_a', value: undefined, since: NOON + 5 }
      const results = [left, { computationId: 'trt_a', value: { n: 1 }, since: NOON + 5 }]
      await evaluations.commit([evaluatedOf(await loadProfile(harness), { results })])
      await harness.reopen()
      expect(await profileOf(harness)).toMatchObject({
        audiences: {},
        computed: { trt_a: { value: { n: 1 }, since: NOON + 5 } },
      })
      expect(await profileOf(harness, 'u2')).toMatchObject({ audiences: { aud_a: {} } })
      const sizes = await harness.backend.memberships.sizes()
      expect(Object.fromEntries(sizes)).toEqual({ aud_a: 1, trt_a: 1 })
    })

    test('skips a profile that has changed since it was loaded, and leaves it dirty', async () => {
      await using harness = await open()
      const { evaluations, memberships } = harness.backend
      await follow(harness, [{ userId: 'u1' }, { userId: 'u2' }])
      const [u1, u2] = await evaluations.due(NOON, 9)
      await follow(harness, [{ userId: 'u1', traits: { a: 1 } }])
      const both = [u1!, u2!].map((profile) =>
        evaluatedOf(profile, {
          results: [entered()],
          announcements: [announce(profile.userIds[0]!)],
        }),
      )
      expect(await evaluations.commit(both)).toEqual([both[1]])
      expect(await profileOf(harness)).toMatchObject({ audiences: {} })
      expect(await memberships.announced('aud_a', '', 9)).toMatchObject([{ userId: 'u2' }])
      const appended = await consumed(harness, 1)
      expect(appended.map(({ event }) => event.userId)).toEqual(['u2'])
      expect(await settle(harness)).toEqual(['u1'])
    })

    test.each([
      [
        'changed',
        (harness: BackendHarness) => follow(harness, [{ userId: 'u1', traits: { a: 1 } }]),
      ],
      [
        'merged',
        (harness: BackendHarness) =>
          follow(harness, [{ userId: 'u1', links: [{ kind: 'user', id: 'u0' }] }]),
      ],
      ['purged', (harness: BackendHarness) => purgeUser(harness, 'u1')],
      [
        'purged and recreated',
        async (harness: BackendHarness) => {
          await purgeUser(harness, 'u1')
          await follow(harness, [{ userId: 'u1' }])
        },
      ],
    ] as const)('skips a profile that has been %s since it was loaded', async (_, change) => {
      await using harness = await open()
      const { evaluations, memberships } = harness.backend
      await follow(harness, [{ userId: 'u1' }])
      const before = await loadProfile(harness)
      await change(harness)
      expect(await evaluations.commit([evaluatedOf(before, { results: [entered()] })])).toEqual([])
      expect((await memberships.sizes()).get('aud_a') ?? 0).toBe(0)
    })

    test('stores the same evaluation once', async () => {
      await using harness = await open()
      const { evaluations } = harness.backend
      await follow(harness, [{ userId: 'u1' }])
      const once = [
        evaluatedOf(await loadProfile(harness), {
          results: [entered()],
          announcements: [announce('u1')],
        }),
      ]
      const stored = await Promise.all([evaluations.commit(once), evaluations.commit(once)])
      expect(stored.toSorted((a, b) => b.length - a.length)).toEqual([once, []])
      await harness.reopen()
      expect(await harness.backend.evaluations.commit(once)).toEqual([])
      await harness.settle()
      const { events } = await harness.backend.followedLog.read({ after: 0, limit: 9 })
      expect(events).toHaveLength(1)
      expect(await harness.backend.evaluations.due(NOON, 9)).toEqual([])
    })

    test('appends its events for the consumer and followers, in order, with their origin', async () => {
      await using harness = await open()
      const { log, followedLog, events } = harness.backend
      const calls = ['before', 'after'].map((messageId) => acceptedEvent({ messageId }))
      const signal = AbortSignal.timeout(CONDITION_MS)
      const waiting = followedLog.appendedAfter(1, signal)
      const consuming = consumed(harness, 8)
      const [, computed] = await Promise.all([
        log.append([calls[0]!]),
        announceTwice(harness, ['u1', 'u2', 'u3']),
        log.append([calls[1]!]),
      ])
      const check = (received: readonly AcceptedEvent[]): void => {
        const [ofCalls, others] = [true, false].map((isCall) =>
          received.filter(({ origin }) => (origin === undefined) === isCall),
        )
        expect([ofCalls, others]).toEqual([calls, computed])
      }
      check(await consuming)
      await harness.settle()
      await waiting
      expect(signal.aborted).toBe(false)
      const slice = await followedLog.read({ after: 0, limit: 99 })
      check(slice.events.map(({ event }) => event))
      expect(await events.find(computed[0]!.id)).toMatchObject({ id: computed[0]!.id })
    })

    test('redelivers its unacked events after a restart', async () => {
      await using harness = await open()
      const computed = await announceTwice(harness, ['u1', 'u2'])
      expect(await consumed(harness, 4)).toEqual(computed)
      await harness.reopen()
      expect(await consumed(harness, 4)).toEqual(computed)
    })

    test('appends its events before a later purge, which removes them', async () => {
      await using harness = await open()
      const { evaluations, events } = harness.backend
      await follow(harness, [{ userId: 'u1' }, { userId: 'u2' }])
      const announcements = ['u1', 'u2'].map((userId) => announce(userId))
      const due = await evaluations.due(NOON, 9)
      await evaluations.commit(
        due.map((profile, index) =>
          evaluatedOf(profile, { announcements: [announcements[index]!] }),
        ),
      )
      await purgeUser(harness, 'u1')
      await harness.settle()
      const found = await Promise.all(announcements.map(({ event }) => events.find(event.id)))
      expect(found.map((event) => event?.userId)).toEqual([undefined, 'u2'])
    })

    test('of repeated announcements appends their events, except those created before a purge', async () => {
      await using harness = await open()
      const { evaluations, profiles } = harness.backend
      await follow(harness, [{ userId: 'u1' }])
      const { purges } = await profiles.state()
      const [announced, late] = [announce('u1', 1).event, announce('u1', 2).event]
      expect(await evaluations.announce([announced], purges)).toBe(true)
      expect(await consumed(harness, 1)).toEqual([announced])
      await purgeUser(harness, 'u1')
      expect(await evaluations.announce([late], purges)).toBe(false)
      await harness.settle()
      const { events } = await harness.backend.followedLog.read({ after: 0, limit: 9 })
      expect(events.map(({ event }) => event.id)).not.toContain(late.id)
    })
  })
}

import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { purgeUser } from '../deletions/purge-requests.ts'
import {
  announce,
  anonymous,
  follow,
  loadProfile,
  profileOf,
  settle,
  traitsOf,
  user,
} from './profile-changes.ts'

const track = (clause: number, value: number) => ({
  type: 'track' as const,
  facts: [{ clause, value }],
})

async function putClause({ backend }: BackendHarness): Promise<number> {
  const retention = { maxAgeMs: null, maxCount: 100 }
  return (await backend.facts.put({ definition: 'a', retention, reachesBackTo: null })).number
}

/** Ids that are difficult to store. The long ones are incompressible. */
const IDS = [
  '',
  ' ',
  'a\u0000b',
  '\u0000',
  '\uf8ff0',
  "it's",
  '{"a"}',
  '\\x',
  'NULL',
  '😀',
  ...[2_000, 30_000].map((bytes) => randomBytes(bytes).toString('hex')),
]

export function profileIdentityConformance(open: OpenBackendHarness): void {
  describe('the ids of a profile', () => {
    test('of different kinds are different even if their texts are equal', async () => {
      await using harness = await open()
      await follow(harness, [
        { userId: 'x', traits: { kind: 'user' } },
        { anonymousId: 'x', traits: { kind: 'anonymous' } },
      ])
      expect(await profileOf(harness, 'x')).toMatchObject({ userIds: ['x'], anonymousIds: [] })
      expect(await traitsOf(harness, 'x')).toEqual({ kind: 'user' })
    })

    test('can be any text of any length', async () => {
      await using harness = await open()
      const { evaluations, profiles } = harness.backend
      await follow(harness, [
        ...IDS.map((id) => ({ anonymousId: id, traits: { is: id } })),
        ...IDS.map((id) => ({ userId: id, links: [anonymous(id)] })),
      ])
      await follow(
        harness,
        IDS.map((id) => ({ userId: id, anonymousId: `${id}!` })),
      )
      expect(await profiles.count('default')).toBe(IDS.length)
      for (const id of IDS) {
        const known = { userIds: [id], anonymousIds: [id], counts: { identify: 3 } }
        expect(await profileOf(harness, id)).toMatchObject(known)
        expect(await traitsOf(harness, id)).toEqual({ is: id })
      }
      const due = await evaluations.due(NOON, IDS.length)
      await evaluations.commit(
        due.map(({ profileId, version, userIds }) => ({
          profileId,
          version,
          recheckAt: null,
          results: [],
          announcements: [announce(userIds[0]!)],
        })),
      )
      for (const id of IDS) {
        const { announced } = await loadProfile(harness, id)
        expect([...announced.get('aud_a')!.keys()]).toEqual([id])
      }
      for (const id of IDS) await purgeUser(harness, id)
      expect(await profiles.count('default')).toBe(0)
    })

    test('are linked by a call with both, with the earlier data of the anonymous user', async () => {
      await using harness = await open()
      await follow(harness, [
        { anonymousId: 'a1', type: 'page', timestamp: NOON - 7 },
        { anonymousId: 'a1', traits: { from: 'ad', plan: 'none' }, timestamp: NOON - 5 },
        { userId: 'u1', links: [anonymous('a1')], traits: { plan: 'pro' } },
      ])
      expect(await profileOf(harness)).toMatchObject({
        userIds: ['u1'],
        anonymousIds: ['a1'],
        counts: { page: 1, identify: 2 },
        firstSeenAt: NOON - 7,
        lastSeenAt: NOON,
      })
      expect(await traitsOf(harness)).toEqual({ from: 'ad', plan: 'pro' })
      await follow(harness, [{ anonymousId: 'a1', type: 'screen' }])
      expect(await profileOf(harness)).toMatchObject({ counts: { page: 1, screen: 1 } })
    })

    test('known only as previousId of an alias are not listed until they send an event', async () => {
      await using harness = await open()
      const links = [user('old'), anonymous('old')]
      await follow(harness, [{ userId: 'new', type: 'alias', links }])
      for (const id of ['new', 'old']) {
        const known = await profileOf(harness, id)
        expect(known).toMatchObject({ userIds: ['new'], anonymousIds: [] })
        expect((await loadProfile(harness, id)).userIds).toEqual(['new'])
      }
      await settle(harness)
      await harness.reopen()
      await follow(harness, [{ userId: 'old', type: 'track' }])
      expect(await settle(harness)).toEqual(['new,old'])
      expect(await profileOf(harness)).toBeUndefined()
      expect(await profileOf(harness, 'new')).toMatchObject({ userIds: ['new', 'old'] })
    })

    test.each([
      ['in one slice', 1],
      ['in separate slices', 3],
    ])('are linked through chains, %s', async (_, slices) => {
      await using harness = await open()
      const changes = [
        { userId: 'u3', links: [user('u2')], type: 'alias' as const },
        { userId: 'u1', traits: { one: 1 } },
        { anonymousId: 'a', traits: { a: 1 } },
        { userId: 'u2', links: [user('u1'), anonymous('a')], type: 'alias' as const },
        { userId: 'u4', traits: { four: 4 } },
        { userId: 'u1', links: [user('u4'), user('u1'), user('u4')], type: 'alias' as const },
      ]
      const size = changes.length / slices
      for (let from = 0; from < changes.length; from += size)
        await follow(harness, changes.slice(from, from + size))
      for (const id of ['u1', 'u2', 'u3', 'u4']) {
        expect(await profileOf(harness, id)).toMatchObject({
          userIds: ['u1', 'u2', 'u3', 'u4'],
          anonymousIds: ['a'],
          counts: { alias: 3, identify: 3 },
        })
        expect(await traitsOf(harness, id)).toEqual({ one: 1, a: 1, four: 4 })
      }
    })
  })

  describe('a link', () => {
    test('moves facts', async () => {
      await using harness = await open()
      const clause = await putClause(harness)
      await follow(harness, [
        { userId: 'u2', ...track(clause, 2), timestamp: NOON - 1 },
        { userId: 'u1', ...track(clause, 1), timestamp: NOON },
        { userId: 'u1', ...track(clause, 3), timestamp: NOON - 2 },
        { userId: 'u1', links: [user('u2')] },
        { userId: 'u2', ...track(clause, 4), timestamp: NOON - 3 },
      ])
      const { facts } = await loadProfile(harness, 'u2')
      expect(facts.get(clause)).toEqual([
        { at: NOON, position: 2, value: 1 },
        { at: NOON - 1, position: 1, value: 2 },
        { at: NOON - 2, position: 3, value: 3 },
        { at: NOON - 3, position: 5, value: 4 },
      ])
    })

    test('moves results, and counts profiles that were in the same audience as one member', async () => {
      await using harness = await open()
      const { evaluations, memberships } = harness.backend
      await follow(harness, [{ userId: 'u1' }, { userId: 'u2' }])
      const ids = { aud_both: ['u1', 'u2'], aud_two: ['u2'], trt_two: ['u2'] }
      const due = await evaluations.due(NOON, 9)
      await evaluations.commit(
        due.map(({ profileId, version, userIds }) => ({
          profileId,
          version,
          announcements: [],
          recheckAt: null,
          results: Object.entries(ids)
            .filter(([, users]) => users.includes(userIds[0]!))
            .map(([computationId]) => ({ computationId, value: true, since: NOON })),
        })),
      )
      expect(Object.fromEntries(await memberships.sizes())).toEqual({
        aud_both: 2,
        aud_two: 1,
        trt_two: 1,
      })
      await follow(harness, [{ userId: 'u2', links: [user('u1')] }])
      expect(Object.fromEntries(await memberships.sizes())).toEqual({
        aud_both: 1,
        aud_two: 1,
        trt_two: 1,
      })
      expect(await profileOf(harness)).toMatchObject({
        audiences: { aud_both: { since: NOON }, aud_two: { since: NOON } },
        computed: { trt_two: { value: true, since: NOON } },
      })
    })

    test('keeps the lists of each user', async () => {
      await using harness = await open()
      const { memberships } = harness.backend
      await memberships.changeList(
        { audienceId: 'aud_list', space: 'default' },
        { add: ['u1'], remove: [], at: NOON },
      )
      await follow(harness, [{ userId: 'u2', links: [user('u1')] }])
      const { manual, userIds } = await loadProfile(harness, 'u2')
      expect([...manual]).toEqual(['aud_list'])
      expect(userIds).toEqual(['u1', 'u2'])
    })

    test('keeps the time when the first of the two profiles became dirty', async () => {
      await using harness = await open()
      const { evaluations } = harness.backend
      await follow(harness, [{ userId: 'u1' }], NOON)
      await settle(harness)
      await follow(harness, [{ userId: 'u2' }], NOON + 1)
      await follow(harness, [{ userId: 'u3' }], NOON + 2)
      await follow(harness, [{ userId: 'u1', links: [user('u2')] }], NOON + 3)
      expect(await evaluations.waiting(NOON)).toEqual({ profiles: 2, since: NOON + 1 })
      expect(await settle(harness)).toEqual(['u1,u2', 'u3'])
    })
  })
}

import { type AcceptedEvent, type Audience, DEFAULT_SPACE } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newSource } from '@hookline/testing/records/catalog-records'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { anonymous, follow, loadProfile, profileOf, user } from '../profiles/profile-changes.ts'
import { purgeAnonymous, purgeUser, receive, request } from './purge-requests.ts'

const audienceOf = (id: string, space: string): Audience => ({
  id,
  space,
  kind: 'audience',
  name: id,
  key: id,
  condition: null,
  destinationIds: [],
  enabled: true,
  createdAt: NOON,
  updatedAt: NOON,
  version: 1,
})

/** Fills two spaces, each with a source, an audience, and lists, facts, results and announcements of u1, u2 and u3. */
async function fill({ backend }: BackendHarness): Promise<number> {
  const { catalog, facts, memberships, evaluations } = backend
  const spaces = [DEFAULT_SPACE, 'other']
  const sources = [newSource(), newSource({ id: 'src_b', space: 'other' })]
  const computations = spaces.map((space) => audienceOf(`aud_${space}`, space))
  await catalog.putAll({ sources, destinations: [], computations })
  const retention = { maxAgeMs: null, maxCount: 9 }
  const { number } = await facts.put({ definition: 'a', retention, reachesBackTo: null })
  for (const space of spaces) {
    const events = ['u1', 'u2', 'u3'].map((userId) => ({
      space,
      userId,
      traits: { of: userId },
      facts: [{ clause: number, value: userId }],
    }))
    const links = [user('u2'), anonymous('a1')]
    await follow({ backend } as BackendHarness, [...events, { space, userId: 'u1', links }])
    const list = { audienceId: `aud_${space}`, space }
    await memberships.changeList(list, { add: ['u1', 'u2', 'u3'], remove: [], at: NOON })
  }
  const due = await evaluations.due(NOON, 9)
  await evaluations.commit(
    due.map(({ profileId, version, userIds, space }) => ({
      profileId,
      version,
      recheckAt: null,
      results: [{ computationId: `aud_${space}`, value: true, since: NOON }],
      announcements: userIds.map((userId) => ({
        computationId: `aud_${space}`,
        userId,
        value: true,
        number: 1,
        at: NOON,
        event: acceptedEvent({ sourceId: `aud_${space}`, userId }),
      })),
    })),
  )
  return number
}

/** The profiles, members, announcements and list entries of a space. */
async function kept({ backend }: BackendHarness, space: string): Promise<readonly unknown[]> {
  const { profiles, memberships } = backend
  const id = `aud_${space}`
  const { data } = await memberships.listed(id, { limit: 9 })
  const announced = await memberships.announced(id, '', 9)
  return [
    await profiles.count(space),
    (await memberships.sizes()).get(id),
    announced.map(({ userId }) => userId),
    data.map(({ userId }) => userId),
  ]
}

const ALL = [2, 2, ['u1', 'u2', 'u3'], ['u1', 'u2', 'u3']]
/** Without u2. u1 shared a profile with u2, and becomes a member again with the next evaluation. */
const WITHOUT = [2, 1, ['u1', 'u3'], ['u1', 'u3']]

export function profilePurgesConformance(open: OpenBackendHarness): void {
  describe('a purge of a user removes profile data', () => {
    test.each([
      ['in every space, of all sources', null, WITHOUT, WITHOUT],
      ['in the space of the source', ['src_b'], ALL, WITHOUT],
      ['in the default space, for a source without a space', ['src_a'], WITHOUT, ALL],
      ['in the spaces of both sources', ['src_a', 'src_b'], WITHOUT, WITHOUT],
    ] as const)('%s', async (_, sourceIds, inDefault, inOther) => {
      await using harness = await open()
      const clause = await fill(harness)
      expect([await kept(harness, DEFAULT_SPACE), await kept(harness, 'other')]).toEqual([ALL, ALL])
      await purgeUser(harness, 'u2', sourceIds)
      await harness.reopen()
      expect(await kept(harness, DEFAULT_SPACE)).toEqual(inDefault)
      expect(await kept(harness, 'other')).toEqual(inOther)
      for (const space of [DEFAULT_SPACE, 'other']) {
        const isGone = (space === 'other' ? inOther : inDefault) === WITHOUT
        expect((await profileOf(harness, 'u2', space)) === undefined).toBe(isGone)
        const { userIds } = (await profileOf(harness, 'u1', space))!
        expect(userIds).toEqual(isGone ? ['u1'] : ['u1', 'u2'])
        expect((await loadProfile(harness, 'u3', space)).facts.get(clause)).toHaveLength(1)
      }
    })

    test('so that a later profile starts empty', async () => {
      await using harness = await open()
      const clause = await fill(harness)
      await purgeUser(harness, 'u1')
      await follow(harness, [{ userId: 'u1', links: [anonymous('a1')] }])
      const profile = await loadProfile(harness, 'u1')
      expect(profile).toMatchObject({ userIds: ['u1'], traits: {} })
      const { facts, results, announced, manual } = profile
      expect([facts.get(clause), results.size, announced.size, manual.size]).toEqual([
        undefined,
        0,
        0,
        0,
      ])
    })

    test.each([
      ['the leading user', 'u1', 'u2'],
      ['another user', 'u2', 'u1'],
    ])(
      'including results computed with %s, until the rest of the profile is evaluated',
      async (_, gone, left) => {
        await using harness = await open()
        await fill(harness)
        const { evaluations } = harness.backend
        expect(await evaluations.due(NOON, 9)).toEqual([])
        await purgeUser(harness, gone)
        const due = await evaluations.due(NOON + 60_000, 9)
        expect(due.map(({ userIds, results }) => [userIds, [...results]])).toEqual([
          [[left], []],
          [[left], []],
        ])
        for (const { space, announced } of due)
          expect([...announced.get(`aud_${space}`)!.keys()]).toEqual([left])
      },
    )

    test('including a profile created while events are being removed', async () => {
      await using harness = await open()
      const { deletions, profiles } = harness.backend
      await follow(harness, [])
      for (let batch = 0; batch < 10; batch++)
        await receive(harness, ...Array.from({ length: 300 }, () => ({})))
      const { id: deletionId } = await request(harness)
      await deletions.advance(deletionId, 'purge', NOON)
      const purge = { deletionId, userIds: ['u1'], sourceIds: null }
      const seen = [(await profiles.state()).purges]
      let cursor = await deletions.purge(purge)
      expect(cursor).not.toBeNull()
      await follow(harness, [{ traits: { of: 'u1' } }])
      expect(await profileOf(harness)).toBeDefined()
      seen.push((await profiles.state()).purges)
      while (cursor !== null) cursor = await deletions.purge({ ...purge, cursor })
      seen.push((await profiles.state()).purges)
      expect(await profileOf(harness)).toBeUndefined()
      expect(new Set(seen).size).toBe(3)
    })

    test('including lists and announcements of an audience removed from the catalog', async () => {
      await using harness = await open()
      await fill(harness)
      await harness.backend.catalog.removeComputation('aud_other')
      await purgeUser(harness, 'u2', ['src_b'])
      expect(await kept(harness, 'other')).toEqual(WITHOUT)
      expect(await kept(harness, DEFAULT_SPACE)).toEqual(ALL)
    })

    test('including the results for a former id that only a refused alias mentions', async () => {
      await using harness = await open()
      const { evaluations, memberships } = harness.backend
      const alias = (id: string) => ({ userId: 'u0', type: 'alias' as const, links: [user(id)] })
      const group = Array.from({ length: 99 }, (_, index) => alias(`u${index + 1}`))
      await follow(harness, [{ userId: 'u0' }, ...group, alias('z')])
      const results = [{ computationId: 'aud_a', value: true, since: NOON }]
      const due = await evaluations.due(NOON, 9)
      await evaluations.commit(
        due.map(({ profileId, version }) => {
          return { profileId, version, results, announcements: [], recheckAt: null }
        }),
      )
      expect((await memberships.sizes()).get('aud_a')).toBe(2)
      await purgeUser(harness, 'u0')
      expect((await memberships.sizes()).get('aud_a')).toBe(0)
      expect((await memberships.list('aud_a', { limit: 9 })).data).toEqual([])
    })

    test('and counts a profile once if it is removed for two reasons', async () => {
      await using harness = await open()
      const ids = Array.from({ length: 100 }, (_, index) => anonymous(`a${index}`))
      const earlier = ids.map((id) => ({ userId: 'x', links: [id] }))
      // A former id that x has also claimed, but has no room for.
      const former = { userId: 'x', type: 'alias' as const, timestamp: NOON + 1 }
      await follow(harness, [...earlier, { ...former, links: [anonymous('x')] }])
      expect(await harness.backend.profiles.count(DEFAULT_SPACE)).toBe(2)
      await purgeUser(harness, 'x')
      expect(await harness.backend.profiles.count(DEFAULT_SPACE)).toBe(0)
    })
  })

  describe('a purge of an anonymousId', () => {
    test.each([
      ['in every space', null, [], []],
      ['in the space of the source', ['src_b'], ['a1'], []],
    ] as const)(
      'removes it from its profile %s, with computed results, and nothing else',
      async (_, sourceIds, inDefault, inOther) => {
        await using harness = await open()
        await fill(harness)
        await purgeAnonymous(harness, ['a1'], sourceIds)
        await harness.reopen()
        for (const [space, anonymousIds] of [
          [DEFAULT_SPACE, inDefault],
          ['other', inOther],
        ] as const) {
          const [profiles, members, ...rest] = ALL
          const isWhole = anonymousIds.length > 0
          expect(await kept(harness, space)).toEqual([profiles, isWhole ? members : 1, ...rest])
          expect(await profileOf(harness, 'u1', space)).toMatchObject({ anonymousIds })
        }
      },
    )

    test('removes the data that its events added to other users, and nothing else', async () => {
      await using harness = await open()
      const clause = await fill(harness)
      const ids = { userId: 'u3', traits: {} }
      const [gone, stays] = await receive(harness, { ...ids, anonymousId: 'a9' }, ids)
      const { events } = await harness.backend.followedLog.read({ after: 0, limit: 9 })
      const changeOfEvent = (event: AcceptedEvent, name: string) => {
        const { position } = events.find(({ event: { id } }) => id === event.id)!
        const facts = [{ clause, value: name }]
        return {
          ...ids,
          position,
          eventId: event.id,
          type: 'track' as const,
          traits: { [name]: 1 },
          facts,
        }
      }
      const links = [anonymous('a9')]
      await follow(harness, [
        { ...changeOfEvent(gone!, 'gone'), links },
        changeOfEvent(stays!, 'kept'),
      ])
      await purgeAnonymous(harness, ['a9'])
      const known = { userIds: ['u3'], anonymousIds: [], counts: { identify: 1, track: 1 } }
      expect(await profileOf(harness, 'u3')).toMatchObject(known)
      const { traits, facts, results, announced, manual, isDirty } = await loadProfile(
        harness,
        'u3',
      )
      const values = new Set(facts.get(clause)!.map(({ value }) => value))
      expect([traits, values, results.size]).toEqual([
        { of: 'u3', kept: 1 },
        new Set(['kept', 'u3']),
        0,
      ])
      const id = `aud_${DEFAULT_SPACE}`
      expect([announced.get(id)?.has('u3'), manual.has(id), isDirty]).toEqual([true, true, true])
    })
  })
}

import { type Audience, DEFAULT_SPACE } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newSource } from '@hookline/testing/records/catalog-records'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { anonymous, follow, loaded, profileOf, user } from '../profiles/profile-changes.ts'
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

/** Two spaces, each with a source, an audience, and its lists, facts, results and announcements of u1, u2 and u3. */
async function fill({ backend }: BackendHarness): Promise<number> {
  const { catalog, facts, memberships, evaluations } = backend
  const spaces = [DEFAULT_SPACE, 'other']
  const sources = [newSource(), newSource({ id: 'src_b', space: 'other' })]
  const computations = spaces.map((space) => audienceOf(`aud_${space}`, space))
  await catalog.putAll({ sources, destinations: [], computations })
  const keeping = { forMs: null, most: 9 }
  const { number } = await facts.put({ definition: 'a', keeping, reachesBackTo: null })
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

/** How much is kept in a space: profiles, members, announcements, places on the list. */
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
/** Without u2: u1, whom an alias made one with u2, is a member again when it is evaluated. */
const WITHOUT = [2, 1, ['u1', 'u3'], ['u1', 'u3']]

export function profilePurgesConformance(open: OpenBackendHarness): void {
  describe('a purge of a user removes what profiles have of the user', () => {
    test.each([
      ['in every space, of all sources', null, WITHOUT, WITHOUT],
      ['in the space of the source', ['src_b'], ALL, WITHOUT],
      ['in the default space, of a source that has none', ['src_a'], WITHOUT, ALL],
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
        expect((await loaded(harness, 'u3', space)).facts.get(clause)).toHaveLength(1)
      }
    })

    test('and a profile that is made later has nothing of it', async () => {
      await using harness = await open()
      const clause = await fill(harness)
      await purgeUser(harness, 'u1')
      await follow(harness, [{ userId: 'u1', links: [anonymous('a1')] }])
      const profile = await loaded(harness, 'u1')
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
      ['the user who leads', 'u1', 'u2'],
      ['a user who does not', 'u2', 'u1'],
    ])(
      'and what was computed of it with %s, until the rest is evaluated',
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

    test('also one that was made while its events were being removed', async () => {
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

    test('also of lists and announcements of an audience that is no longer in the catalog', async () => {
      await using harness = await open()
      await fill(harness)
      await harness.backend.catalog.removeComputation('aud_other')
      await purgeUser(harness, 'u2', ['src_b'])
      expect(await kept(harness, 'other')).toEqual(WITHOUT)
      expect(await kept(harness, DEFAULT_SPACE)).toEqual(ALL)
    })
  })

  describe('a purge of an anonymousId', () => {
    test.each([
      ['in every space', null, [], []],
      ['in the space of the source', ['src_b'], ['a1'], []],
    ] as const)(
      'takes it from its profile, %s, with what was computed of it, and leaves everything else',
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

    test('also takes the users of its events, which keep their places and what was told of them', async () => {
      await using harness = await open()
      const clause = await fill(harness)
      await receive(harness, { userId: 'u3', anonymousId: 'a9' })
      await purgeAnonymous(harness, ['a9'])
      expect(await profileOf(harness, 'u3')).toBeUndefined()
      const users = ['u1', 'u2', 'u3']
      expect(await kept(harness, DEFAULT_SPACE)).toEqual([1, 1, users, users])
      await follow(harness, [{ userId: 'u3' }])
      const { traits, facts, results, announced, manual } = await loaded(harness, 'u3')
      expect([traits, facts.get(clause), results.size]).toEqual([{}, undefined, 0])
      const id = `aud_${DEFAULT_SPACE}`
      expect([announced.get(id)?.has('u3'), manual.has(id)]).toEqual([true, true])
    })
  })
}

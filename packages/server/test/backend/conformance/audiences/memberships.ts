import type { Json } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import type { Page, PageRequest } from '../../../../src/backend/page.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { auditEntryOf } from '@hookline/testing/records/audit-entry'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import {
  announce,
  anonymous,
  follow,
  loadProfile,
  profileOf,
  settle,
  user,
} from '../profiles/profile-changes.ts'

const LIST = { audienceId: 'aud_list', space: 'default' }

/** Gives each due profile the value from `valueOf`, and announces it for its users. */
async function evaluate(
  { backend: { evaluations } }: BackendHarness,
  valueOf: (userId: string | undefined) => Json,
): Promise<void> {
  const due = await evaluations.due(NOON, 10_000)
  await evaluations.commit(
    due.map(({ profileId, version, userIds }) => ({
      profileId,
      version,
      recheckAt: null,
      results: [{ computationId: 'aud_a', value: valueOf(userIds[0]), since: NOON }],
      announcements: userIds.map((userId) => announce(userId, 3, valueOf(userId))),
    })),
  )
}

/** All pages in a list. */
async function allOf<T>(page: (request: PageRequest) => Promise<Page<T>>): Promise<T[][]> {
  const pages: T[][] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { data, nextCursor }: Page<T> = await page({
      limit: 2,
      ...(cursor === undefined ? {} : { cursor }),
    })
    pages.push([...data])
    cursor = nextCursor
  }
  return pages
}

async function forgetAll({ backend }: BackendHarness, id: string): Promise<number> {
  let calls = 1
  while (await backend.memberships.forget(id)) calls++
  return calls
}

export function membershipsConformance(open: OpenBackendHarness): void {
  describe('members', () => {
    test('are listed with their first userId, page by page', async () => {
      await using harness = await open()
      const { memberships } = harness.backend
      await follow(harness, [
        { userId: 'b' },
        { anonymousId: 'x' },
        { userId: 'd', type: 'alias', links: [user('c')] },
        { userId: 'a', links: [user('b'), anonymous('y')] },
      ])
      await evaluate(harness, (userId) => ({ of: userId ?? null }))
      const member = (userId: string | null) => ({ userId, value: { of: userId }, since: NOON })
      const pages = await allOf((page) => memberships.list('aud_a', page))
      expect(pages).toEqual([[member('a'), member(null)], [member('d')]])
      expect(await memberships.list('aud_b', { limit: 2 })).toEqual({ data: [], nextCursor: null })
    })

    test('who have left are not listed', async () => {
      await using harness = await open()
      const { evaluations } = harness.backend
      await follow(harness, [{ userId: 'a' }, { userId: 'b' }])
      await evaluate(harness, () => true)
      const { profileId, version } = await loadProfile(harness, 'a')
      const results = [{ computationId: 'aud_a', value: undefined, since: NOON }]
      await evaluations.commit([
        { profileId, version, results, announcements: [], recheckAt: null },
      ])
      await harness.reopen()
      const { data } = await harness.backend.memberships.list('aud_a', { limit: 9 })
      expect(data).toMatchObject([{ userId: 'b' }])
      expect(await harness.backend.memberships.sizes()).toEqual(new Map([['aud_a', 1]]))
    })

    test('who were announced are listed in the order of userIds', async () => {
      await using harness = await open()
      const { memberships } = harness.backend
      await follow(harness, [
        { userId: 'b' },
        { userId: 'é' },
        { userId: 'a' },
        { anonymousId: 'x' },
      ])
      await evaluate(harness, (userId) => [userId ?? null])
      const announced = (userId: string) => ({ userId, value: [userId], number: 3, at: NOON + 3 })
      const first = await memberships.announced('aud_a', '', 2)
      expect(first).toEqual([announced('a'), announced('b')])
      expect(await memberships.announced('aud_a', 'b', 2)).toEqual([announced('é')])
      expect(await memberships.announced('aud_a', 'é', 2)).toEqual([])
      expect(await memberships.announced('aud_b', '', 2)).toEqual([])
    })
  })

  describe('the list of a manual audience', () => {
    test('contains the added users, and each has a profile', async () => {
      await using harness = await open()
      const { memberships } = harness.backend
      await follow(harness, [{ userId: 'a' }])
      await settle(harness)
      const change = { add: ['c', 'a', 'b', 'é', 'a'], remove: [], at: NOON }
      await memberships.changeList(LIST, change)
      await harness.reopen()
      const again = harness.backend.memberships
      const pages = await allOf((page) => again.listed('aud_list', page))
      expect(pages).toEqual([
        [{ userId: 'a' }, { userId: 'b' }],
        [{ userId: 'c' }, { userId: 'é' }],
      ])
      expect(await harness.backend.profiles.count('default')).toBe(4)
      expect(await profileOf(harness, 'c')).toMatchObject({ userIds: ['c'], firstSeenAt: null })
      expect([...(await loadProfile(harness, 'c')).manual]).toEqual(['aud_list'])
      expect((await settle(harness)).toSorted()).toEqual(['a', 'b', 'c', 'é'])
      await again.changeList(LIST, change)
      expect(await settle(harness)).toEqual([])
    })

    test('loses removed users, but keeps their profiles', async () => {
      await using harness = await open()
      const { memberships } = harness.backend
      await memberships.changeList(LIST, { add: ['a', 'b', 'c'], remove: [], at: NOON })
      await settle(harness)
      const change = { add: ['d'], remove: ['a', 'c', 'none'], at: NOON }
      await memberships.changeList(LIST, change)
      await memberships.changeList(LIST, change)
      expect((await memberships.listed('aud_list', { limit: 9 })).data).toEqual([
        { userId: 'b' },
        { userId: 'd' },
      ])
      expect((await settle(harness)).toSorted()).toEqual(['a', 'c', 'd'])
      expect((await loadProfile(harness, 'a')).manual.size).toBe(0)
      expect(await profileOf(harness, 'none')).toBeUndefined()
    })

    test('keeps a user who is both removed and added', async () => {
      await using harness = await open()
      const { memberships } = harness.backend
      await memberships.changeList(LIST, { add: ['a'], remove: ['a'], at: NOON })
      await memberships.changeList(LIST, { add: ['a'], remove: ['a'], at: NOON })
      expect((await memberships.listed('aud_list', { limit: 9 })).data).toEqual([{ userId: 'a' }])
    })

    test('accepts any userIds, long or with any characters, once each', async () => {
      await using harness = await open()
      const { memberships } = harness.backend
      const long = Array.from({ length: 5_000 }, (_, index) => ((index * 7919) % 1009).toString(36))
      const users = [
        `${long.join('')}a`,
        `${long.join('')}b`,
        'z',
        '日本',
        '\uf8ff',
        '\uf8ff0',
        '💡',
      ]
      const change = { add: users, remove: [], at: NOON }
      await memberships.changeList(LIST, change)
      await memberships.changeList(LIST, change)
      await evaluate(harness, (userId) => userId ?? null)
      const listed = await allOf((page) => memberships.listed('aud_list', page))
      expect(listed.flat().map(({ userId }) => userId)).toEqual(users)
      const members = await allOf((page) => memberships.list('aud_a', page))
      expect(new Set(members.flat().map(({ userId }) => userId))).toEqual(new Set(users))
      const first = await memberships.announced('aud_a', '', 1)
      const others = await memberships.announced('aud_a', first[0]!.userId, 99)
      expect([...first, ...others].map(({ value }) => value)).toEqual(users)
      await memberships.changeList(LIST, { add: [], remove: users, at: NOON })
      expect((await memberships.listed('aud_list', { limit: 9 })).data).toEqual([])
    })

    test('accepts the former id of an alias as a user', async () => {
      await using harness = await open()
      const { memberships } = harness.backend
      await follow(harness, [{ userId: 'new', type: 'alias', links: [user('old')] }])
      await memberships.changeList(LIST, { add: ['old'], remove: [], at: NOON })
      expect(await profileOf(harness, 'new')).toMatchObject({ userIds: ['new', 'old'] })
      expect((await loadProfile(harness, 'new')).manual.size).toBe(1)
    })

    test('creates profiles in its space', async () => {
      await using harness = await open()
      const { memberships, profiles } = harness.backend
      const change = { add: ['a'], remove: [], at: NOON }
      await memberships.changeList({ ...LIST, space: 'other' }, change)
      expect([await profiles.count('other'), await profiles.count('default')]).toEqual([1, 0])
    })

    test('changes atomically with its audit entry', async () => {
      await using harness = await open()
      const { memberships, audit } = harness.backend
      const change = { remove: [], at: NOON }
      await memberships.changeList(LIST, { ...change, add: ['a'] }, auditEntryOf('adt_a'))
      expect((await audit.list({}, { limit: 9 })).data).toHaveLength(1)
      await harness.failAuditWrites()
      const refused = memberships.changeList(LIST, { ...change, add: ['b'] }, auditEntryOf('adt_b'))
      await expect(refused).rejects.toThrow()
      expect((await memberships.listed('aud_list', { limit: 9 })).data).toEqual([{ userId: 'a' }])
    })

    test('accepts thousands of users at once', async () => {
      await using harness = await open()
      const { memberships } = harness.backend
      const add = Array.from({ length: 3_000 }, (_, index) => `user-${index}`)
      await memberships.changeList(LIST, { add, remove: [], at: NOON })
      expect(await settle(harness)).toHaveLength(3_000)
    })
  })

  describe('forgetting a computation', () => {
    test('removes all of its data, and no other data', async () => {
      await using harness = await open()
      const { memberships, syncs } = harness.backend
      const add = Array.from({ length: 2_500 }, (_, index) => `user-${index}`)
      await memberships.changeList({ ...LIST, audienceId: 'aud_a' }, { add, remove: [], at: NOON })
      await memberships.changeList(LIST, { add: ['user-1'], remove: [], at: NOON })
      await evaluate(harness, () => true)
      expect(await forgetAll(harness, 'aud_a')).toBeGreaterThan(3)
      expect(await forgetAll(harness, 'aud_a')).toBe(1)
      expect(await forgetAll(harness, 'aud_none')).toBe(1)
      expect([...(await memberships.sizes()).keys()]).toEqual(['aud_list'])
      expect((await memberships.list('aud_a', { limit: 9 })).data).toEqual([])
      expect((await memberships.listed('aud_a', { limit: 9 })).data).toEqual([])
      expect(await memberships.announced('aud_a', '', 9)).toEqual([])
      expect((await syncs.list('aud_a', { limit: 9 })).data).toEqual([])
      const profile = await loadProfile(harness, 'user-1')
      expect([profile.results.size, profile.announced.size]).toEqual([0, 0])
      expect([...profile.manual]).toEqual(['aud_list'])
    })

    test('leaves nothing for a new computation with the same id', async () => {
      await using harness = await open()
      const { memberships } = harness.backend
      await follow(harness, [{ userId: 'a' }])
      await evaluate(harness, () => true)
      await forgetAll(harness, 'aud_a')
      await follow(harness, [{ userId: 'b' }])
      await evaluate(harness, () => true)
      expect((await memberships.list('aud_a', { limit: 9 })).data).toMatchObject([{ userId: 'b' }])
      expect((await memberships.sizes()).get('aud_a')).toBe(1)
    })
  })
}

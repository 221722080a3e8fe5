import { expect, describe, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { FoundProfiles, ProfileQuery } from '../../../../src/backend/profiles.ts'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { purgeUser } from '../deletions/purge-requests.ts'
import { anonymous, follow, user } from './profile-changes.ts'

const DAY_MS = 24 * 60 * 60 * 1000

async function find(
  { backend }: BackendHarness,
  query: Omit<ProfileQuery, 'space'>,
  now = NOON,
): Promise<FoundProfiles> {
  return backend.profiles.list({ space: 'default', ...query }, { limit: 50 }, now)
}

/** Reads all pages. */
async function findAll(
  { backend }: BackendHarness,
  query: Omit<ProfileQuery, 'space'>,
  limit: number,
): Promise<readonly string[]> {
  const found: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = { limit, ...(cursor !== undefined && { cursor }) }
    const { data, nextCursor } = await backend.profiles.list(
      { space: 'default', ...query },
      page,
      NOON,
    )
    expect(data.length).toBeLessThanOrEqual(limit)
    found.push(...data.map(({ userIds }) => userIds.join()))
    cursor = nextCursor
  }
  return found
}

function usersIn({ data }: FoundProfiles): readonly string[] {
  return data.map(({ userIds }) => userIds.join())
}

async function fillIndexes({ backend }: BackendHarness, now = NOON): Promise<number> {
  let slices = 0
  while (await backend.profiles.index(now - DAY_MS)) slices++
  return slices
}

export function profileSearchConformance(open: OpenBackendHarness): void {
  describe('a search for profiles', () => {
    test('lists profiles with the most ids first', async () => {
      await using harness = await open()
      await follow(harness, [
        { userId: 'u1' },
        { userId: 'u2', links: [anonymous('a1'), anonymous('a2')] },
        { userId: 'u3', links: [anonymous('a3')] },
        { userId: 'u4', space: 'other', links: [anonymous('a4')] },
      ])
      const found = await find(harness, { isLargestFirst: true })
      expect(usersIn(found)).toEqual(['u2', 'u3', 'u1'])
      expect(found.nextCursor).toBeNull()
    })

    test('lists all profiles in a space, page by page', async () => {
      await using harness = await open()
      const users = Array.from({ length: 7 }, (_, index) => `u${index}`)
      await follow(
        harness,
        users.map((userId) => ({ userId })),
      )
      await follow(harness, [{ userId: 'other', space: 'other' }])
      expect(await findAll(harness, {}, 3)).toEqual(users)
      const [first] = (await find(harness, {})).data
      expect(first).toEqual({
        space: 'default',
        userIds: ['u0'],
        anonymousIds: [],
        traits: {},
        firstSeenAt: NOON,
        lastSeenAt: NOON,
      })
    })

    test('finds users by a prefix of the userId, and a user by an anonymousId', async () => {
      await using harness = await open()
      await follow(harness, [
        ...['ada', 'adam', 'Ada', 'bob', 'ad\u{10ffff}', `ada${'x'.repeat(300)}`].map((userId) => ({
          userId,
        })),
        { userId: 'carol', links: [anonymous('a1')] },
        { anonymousId: 'ada' },
      ])
      expect((await findAll(harness, { text: 'ada' }, 2)).toSorted()).toEqual(
        ['', 'ada', 'adam', `ada${'x'.repeat(300)}`].toSorted(),
      )
      expect(usersIn(await find(harness, { text: `ada${'x'.repeat(299)}` }))).toEqual([
        `ada${'x'.repeat(300)}`,
      ])
      expect(usersIn(await find(harness, { text: 'a1' }))).toEqual(['carol'])
      expect(usersIn(await find(harness, { text: 'a' }))).not.toContain('carol')
      expect(usersIn(await find(harness, { text: '%' }))).toEqual([])
    })

    test('finds users by the value of a trait once its index is filled, and after changes', async () => {
      await using harness = await open()
      const email = (value: string) => ({ traits: { email: value } })
      await follow(harness, [
        ...Array.from({ length: 1_200 }, (_, index) => ({
          userId: `u${index}`,
          ...email(`U${index}@x.org`),
        })),
        { userId: 'number', traits: { plan: 7 } },
      ])
      const query = { trait: { name: 'email', value: 'u1100@X.org' } }
      const early = await find(harness, query)
      expect(early.data).toEqual([])
      expect(early.indexed).toBeLessThan(1)
      expect(await fillIndexes(harness)).toBeGreaterThan(2)
      expect(usersIn(await find(harness, query))).toEqual(['u1100'])
      expect((await find(harness, query)).indexed).toBeUndefined()
      expect(usersIn(await find(harness, { text: 'U1100@x.org' }))).toEqual(['u1100'])
      await follow(harness, [
        { userId: 'u1100', ...email('new@x.org'), timestamp: NOON + 1 },
        { userId: 'u5', ...email('u1100@x.org'), timestamp: NOON - 1 },
      ])
      expect(usersIn(await find(harness, query))).toEqual([])
      expect(
        usersIn(await find(harness, { trait: { name: 'email', value: 'new@x.org' } })),
      ).toEqual(['u1100'])
      await purgeUser(harness, 'u1100')
      expect((await find(harness, { trait: { name: 'email', value: 'new@x.org' } })).data).toEqual(
        [],
      )
      const plan = { trait: { name: 'plan', value: '7' } }
      await find(harness, plan)
      await fillIndexes(harness)
      expect(usersIn(await find(harness, plan))).toEqual(['number'])
    })

    test('returns each profile once, even if several of its ids match', async () => {
      await using harness = await open()
      const pro = { traits: { plan: 'pro' } }
      await follow(harness, [
        { userId: 'u1', ...pro },
        { userId: 'u2', ...pro },
        { userId: 'u3', ...pro },
        { userId: 'u1', type: 'alias', links: [user('u3')] },
        { userId: 'u2', space: 'other', ...pro },
      ])
      const query = { trait: { name: 'plan', value: 'pro' } }
      await find(harness, query)
      await fillIndexes(harness)
      for (const each of [{ text: 'u' }, query])
        expect(await findAll(harness, each, 1)).toEqual(['u1,u3', 'u2'])
    })

    test('lists all users with an email address, then users whose id begins with it, page by page', async () => {
      await using harness = await open()
      const email = { traits: { email: 'Info@x.org' } }
      await follow(harness, [
        { userId: 'info@x.org', ...email },
        ...['u1', 'u2', 'u3', 'u4'].map((userId) => ({ userId, ...email })),
        { userId: 'info@x.org.example' },
      ])
      await find(harness, { text: 'info@x.org' })
      await fillIndexes(harness)
      const expected = ['info@x.org', 'u1', 'u2', 'u3', 'u4', 'info@x.org.example']
      for (const limit of [1, 2, 5, 9])
        expect(await findAll(harness, { text: 'info@x.org' }, limit)).toEqual(expected)
    })

    test('finds a user whose userId is an email address, even before addresses are indexed', async () => {
      await using harness = await open()
      const address = 'info@x.org'
      await follow(harness, [{ userId: address, traits: { email: address } }])
      expect(await findAll(harness, { text: address }, 1)).toEqual([address])
      await fillIndexes(harness)
      expect(await findAll(harness, { text: address }, 1)).toEqual([address])
    })

    test('returns the profile with an anonymousId once, within the limit', async () => {
      await using harness = await open()
      const users = Array.from({ length: 5 }, (_, index) => ({ userId: `x${index}` }))
      await follow(harness, [...users, { userId: 'x4', links: [anonymous('x')] }])
      for (const limit of [1, 2, 3, 9]) {
        const { data } = await harness.backend.profiles.list(
          { space: 'default', text: 'x' },
          { limit },
          NOON,
        )
        expect(data).toHaveLength(Math.min(limit, 5))
        expect(await findAll(harness, { text: 'x' }, limit)).toEqual(['x4', 'x0', 'x1', 'x2', 'x3'])
      }
    })

    test('refuses an invalid cursor', async () => {
      await using harness = await open()
      await follow(harness, [{}])
      const queries = [{}, { text: 'u' }, { text: 'u@' }, { trait: { name: 'plan', value: 'pro' } }]
      for (const query of queries)
        for (const cursor of ['x', '1.5', '["u",1.5]', 'i["u",1e30]'])
          await expect(
            harness.backend.profiles.list(
              { space: 'default', ...query },
              { limit: 1, cursor },
              NOON,
            ),
          ).rejects.toMatchObject({ name: 'InvalidCursorError' })
    })

    test('refills an index whose removal has started', async () => {
      await using harness = await open()
      const users = Array.from(
        { length: 2_500 },
        (_, index) => `u${String(index).padStart(4, '0')}`,
      )
      await follow(
        harness,
        users.map((userId) => ({ userId, traits: { plan: userId } })),
      )
      const byPlan = (value: string) => ({ trait: { name: 'plan', value } })
      await find(harness, byPlan('x'))
      await fillIndexes(harness)
      const later = NOON + 2 * DAY_MS
      await harness.backend.profiles.index(later - DAY_MS)
      expect((await find(harness, byPlan('u0001'), later)).indexed).toBeLessThan(1)
      await fillIndexes(harness, later)
      for (const id of ['u0001', 'u1200', 'u2499'])
        expect(usersIn(await find(harness, byPlan(id), later))).toEqual([id])
    })

    test('by more than 20 traits is refused until an unused index is removed', async () => {
      await using harness = await open()
      await follow(harness, [{ userId: 'u1', traits: { t0: 'x', last: 'x' } }])
      const value = 'x'
      for (let index = 0; index < 20; index++)
        await find(harness, { trait: { name: `t${index}`, value } })
      const last = { trait: { name: 'last', value } }
      await expect(find(harness, last)).rejects.toMatchObject({ name: 'TooManyTraitIndexesError' })
      // Email addresses can be searched even beyond the limit.
      expect((await find(harness, { text: 'a@x.org' })).indexed).toBeLessThan(1)
      const later = NOON + 2 * DAY_MS
      await find(harness, { trait: { name: 't0', value } }, later)
      await fillIndexes(harness, later)
      expect(usersIn(await find(harness, { trait: { name: 't0', value } }, later))).toEqual(['u1'])
      await find(harness, last, later)
      await fillIndexes(harness, later)
      expect(usersIn(await find(harness, last, later))).toEqual(['u1'])
    })
  })
}

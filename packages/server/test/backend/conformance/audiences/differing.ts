import { describe, expect, test } from 'vitest'
import type {
  DifferingQuery,
  LoadedProfile,
  PlannedCondition,
} from '../../../../src/backend/evaluations.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { announce, follow, loaded, settle } from '../profiles/profile-changes.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const PRO: PlannedCondition = { trait: ['plan'], is: { op: 'equals', value: 'pro' } }

/** Walks through all profiles. Returns the userIds that are found, and of those that were missed. */
async function walk(
  { backend: { evaluations } }: BackendHarness,
  query: Partial<DifferingQuery>,
): Promise<{ found: string[]; missed: string[]; looked: number }> {
  const found: number[] = []
  const missed: number[] = []
  let looked = 0
  for (let after: number | null = 0; after !== null;) {
    const slice = await evaluations.differing({
      computationId: 'aud_a',
      space: 'default',
      clauses: [],
      findsRechecks: false,
      now: NOON,
      after,
      ...query,
    })
    found.push(...slice.profileIds)
    missed.push(...slice.missed)
    looked += slice.looked
    after = slice.reached
  }
  const namesOf = async (ids: readonly number[]): Promise<string[]> =>
    (await evaluations.load(ids)).map(({ userIds }) => userIds.join()).toSorted()
  return { found: await namesOf(found), missed: await namesOf(missed), looked }
}

/** Settles all profiles; those of `members` get a result of the audience, which is announced. */
async function store(
  { backend: { evaluations } }: BackendHarness,
  members: readonly string[],
  change: (profile: LoadedProfile) => { recheckAt?: number; value?: number } = () => ({}),
): Promise<void> {
  const due = await evaluations.due(Number.MAX_SAFE_INTEGER, 100)
  await evaluations.commit(
    due.map((profile) => {
      const { recheckAt = null, value = true } = change(profile)
      const isMember = members.includes(profile.userIds[0] ?? '')
      const result = { computationId: 'aud_a', value, since: NOON }
      const { profileId, version } = profile
      return {
        profileId,
        version,
        recheckAt,
        announcements: isMember ? profile.userIds.map((userId) => announce(userId)) : [],
        results: isMember ? [result] : [],
      }
    }),
  )
}

async function count(
  harness: BackendHarness,
  facts: Readonly<Record<string, readonly number[]>>,
): Promise<number> {
  const keeping = { forMs: null, most: 100 }
  const clause = await harness.backend.facts.put({
    definition: 'a',
    keeping,
    reachesBackTo: null,
  })
  const changes = Object.entries(facts).flatMap(([userId, times]) => [
    { userId },
    ...times.map((timestamp) => ({
      userId,
      timestamp,
      type: 'track' as const,
      facts: [{ clause: clause.number, value: null }],
    })),
  ])
  await follow(harness, changes)
  return clause.number
}

export function differingConformance(open: OpenBackendHarness): void {
  describe('the search for differing profiles', () => {
    test('finds who should have entered and who should have left, and nobody else', async () => {
      await using harness = await open()
      await follow(harness, [
        { userId: 'in', traits: { plan: 'pro' } },
        { userId: 'enters', traits: { plan: 'pro' } },
        { userId: 'leaves', traits: { plan: 'free' } },
        { userId: 'out' },
        { space: 'other', userId: 'elsewhere', traits: { plan: 'pro' } },
      ])
      await store(harness, ['in', 'leaves'])
      expect(await walk(harness, { condition: PRO })).toEqual({
        found: ['enters', 'leaves'],
        missed: ['enters', 'leaves'],
        looked: 4,
      })
      const unknown = { condition: PRO, computationId: 'aud_none' }
      expect((await walk(harness, unknown)).found).toEqual(['enters', 'in'])
      const nobody = { condition: PRO, space: 'none' }
      expect(await walk(harness, nobody)).toEqual({ found: [], missed: [], looked: 0 })
    })

    test('finds members of whom a user was not told: seen, or joined, while the audience was not evaluated', async () => {
      await using harness = await open()
      await follow(harness, [
        { userId: 'told', traits: { plan: 'pro' } },
        { userId: 'member', traits: { plan: 'pro' } },
        { anonymousId: 'a1', traits: { plan: 'pro' } },
        { userId: 'out', joins: [{ kind: 'user', id: 'alias' }] },
      ])
      await store(harness, ['told', 'member', ''])
      expect((await walk(harness, { condition: PRO })).found).toEqual([])
      await follow(harness, [
        { userId: 'seen', joins: [{ kind: 'anonymous', id: 'a1' }] },
        { type: 'alias', userId: 'joined', joins: [{ kind: 'user', id: 'member' }] },
        { userId: 'alias' },
      ])
      await settle(harness)
      const found = ['joined,member', 'seen']
      expect(await walk(harness, { condition: PRO })).toMatchObject({ found, missed: found })
    })

    test('tells those apart that evaluation would have found: dirty, or due', async () => {
      await using harness = await open()
      const users = ['dirty', 'due', 'later', 'missed']
      await follow(
        harness,
        users.map((userId) => ({ userId, traits: { plan: 'pro' } })),
      )
      const recheckAt: Record<string, number> = { due: NOON, later: NOON + 1 }
      await store(harness, [], ({ userIds }) => {
        const at = recheckAt[userIds[0]!]
        return at === undefined ? {} : { recheckAt: at }
      })
      await follow(harness, [{ userId: 'dirty', traits: { other: 1 } }])
      const { found, missed } = await walk(harness, { condition: PRO })
      expect([found, missed]).toEqual([users, ['later', 'missed']])
    })

    test('finds profiles whose recheck may be too late, if asked to', async () => {
      await using harness = await open()
      const clause = await count(harness, {
        late: [NOON - 5],
        never: [NOON - 5],
        onTime: [NOON - 5],
        early: [NOON - 5],
        out: [NOON - DAY_MS],
      })
      const leaves = NOON - 5 + DAY_MS
      const recheckAt: Record<string, number> = {
        late: leaves + 1,
        onTime: leaves,
        early: leaves - 1,
      }
      await store(harness, ['late', 'never', 'onTime', 'early'], ({ userIds }) => {
        const at = recheckAt[userIds[0]!]
        return at === undefined ? {} : { recheckAt: at }
      })
      const condition = { clause, withinMs: DAY_MS, count: { op: '>=', n: 1 } } as const
      expect((await walk(harness, { condition })).found).toEqual([])
      const all = await walk(harness, { condition, findsRechecks: true })
      expect([all.found, all.missed]).toEqual([['late', 'never'], []])
    })

    test.each([
      ['>=', 0],
      ['<', 0],
      ['>', 0],
      ['<=', 0],
      ['==', 0],
      ['!=', 0],
    ] as const)('looks at every profile where a count is compared with 0: %s', async (op, n) => {
      await using harness = await open()
      const clause = await count(harness, { a: [NOON], b: [], c: [NOON - DAY_MS], d: [] })
      await store(harness, [])
      const holdsFor = { '>=': 'abcd', '<': '', '>': 'a', '<=': 'bcd', '==': 'bcd', '!=': 'a' }[op]
      const condition = { clause, withinMs: DAY_MS, count: { op, n } }
      expect((await walk(harness, { condition })).found.join('')).toBe(holdsFor)
      await walk(harness, { condition, findsRechecks: true })
    })

    test('goes by lists, other audiences and computed traits', async () => {
      await using harness = await open()
      const { memberships } = harness.backend
      await follow(harness, [{ userId: 'a' }, { userId: 'b' }, { userId: 'c' }])
      await store(harness, ['a', 'b'], ({ userIds }) => ({ value: userIds[0] === 'a' ? 1 : 7 }))
      await memberships.changeList(
        { audienceId: 'aud_list', space: 'default' },
        { add: ['c'], remove: [], at: NOON },
      )
      const find = async (condition: PlannedCondition): Promise<string[]> =>
        (await walk(harness, { condition, computationId: 'aud_other' })).found
      expect(await find({ memberOf: 'aud_a' })).toEqual(['a', 'b'])
      expect(await find({ not: { memberOf: 'aud_a' } })).toEqual(['c'])
      expect(await find({ memberOf: 'aud_none' })).toEqual([])
      expect(await find({ listOf: 'aud_list' })).toEqual(['c'])
      expect(await find({ listOf: 'aud_a' })).toEqual([])
      expect(await find({ computation: 'aud_a', is: { op: '>', value: 1 } })).toEqual(['b'])
      expect(await find({ computation: 'aud_a', is: { op: 'not_exists' } })).toEqual(['c'])
      expect(await find({ and: [] })).toEqual(['a', 'b', 'c'])
      expect(await find({ or: [] })).toEqual([])
    })

    test('follows the path of a trait through any names, but through no list', async () => {
      await using harness = await open()
      const names = [
        '__proto__',
        'a.b',
        'a"b',
        'a\\b',
        "it's",
        '日本',
        '0',
        '',
        '$',
        '[0]',
        '\ud800',
      ]
      const nested = (name: string): object =>
        Object.fromEntries([[name, Object.fromEntries([[name, 'x']])]])
      await follow(
        harness,
        names.map((name) => ({ userId: `user ${name}`, traits: nested(name) as never })),
      )
      await follow(harness, [{ userId: 'list', traits: { list: [{ 0: 'x' }, 'x'] } }])
      for (const name of names) {
        const condition = { trait: [name, name], is: { op: 'equals', value: 'x' } } as const
        const { profileIds } = await harness.backend.evaluations.differing({
          computationId: 'aud_a',
          space: 'default',
          condition,
          clauses: [],
          findsRechecks: true,
          now: NOON,
          after: 0,
        })
        const { profileId } = await loaded(harness, `user ${name}`)
        expect(profileIds, name).toEqual([profileId])
      }
      for (const trait of [
        ['list', '0', '0'],
        ['list', '1'],
        ['toString', 'name'],
      ]) {
        const condition = { trait, is: { op: 'exists' } } as const
        expect((await walk(harness, { condition })).found).toEqual([])
      }
    })

    test('compares any values of traits and computed traits as they are', async () => {
      await using harness = await open()
      const { evaluations } = harness.backend
      const values = [
        '\0',
        'a\0b',
        '\ud800',
        '\udc00\ud800',
        '\uf8ff0',
        '\uf8ff',
        '2',
        2,
        1e308,
        -1e-308,
        2 ** 53 + 2,
        'true',
        true,
        false,
        '',
        'null',
        [],
        ['\0', null],
        {},
        { '\0': '\ud800' },
      ]
      const users = values.map((_, index) => `u${String(index).padStart(2, '0')}`)
      await follow(
        harness,
        users.map((userId, index) => ({ userId, traits: { a: values[index]! } })),
      )
      const due = await evaluations.due(NOON, 99)
      await evaluations.commit(
        due.map(({ profileId, version, traits }) => {
          const results = [{ computationId: 'trt_a', value: traits['a'], since: NOON }]
          return { profileId, version, results, announcements: [], recheckAt: null }
        }),
      )
      for (const [index, value] of values.entries()) {
        const is = { op: 'equals', value } as const
        for (const clause of [
          { trait: ['a'], is },
          { computation: 'trt_a', is },
        ])
          expect((await walk(harness, { condition: clause })).found).toEqual([users[index]])
      }
    })

    test('takes a condition as deep and as wide as may be', async () => {
      await using harness = await open()
      const clause = await count(harness, { a: [NOON], b: [] })
      await store(harness, [])
      const leaf = { clause, withinMs: DAY_MS, count: { op: '>=', n: 1 } } as const
      let deep: PlannedCondition = leaf
      for (let level = 1; level < 10; level++) {
        const others = Array.from({ length: 5 }, () => (level % 2 === 0 ? leaf : PRO))
        deep = level % 3 === 0 ? { not: { and: [deep] } } : { or: [...others, deep] }
      }
      const wide = { and: Array.from({ length: 50 }, () => leaf) }
      expect((await walk(harness, { condition: wide, findsRechecks: true })).found).toEqual(['a'])
      const { looked } = await walk(harness, { condition: deep, findsRechecks: true })
      expect(looked).toBe(2)
    })

    test('without a condition finds who has a fact of its clauses, or a result', async () => {
      await using harness = await open()
      const clause = await count(harness, { fact: [NOON], result: [], neither: [] })
      await store(harness, ['result'])
      const query = { clauses: [clause, 999] }
      expect((await walk(harness, query)).found).toEqual(['fact', 'result'])
      expect((await walk(harness, { clauses: [] })).found).toEqual(['result'])
    })

    test('goes slice by slice through any number of profiles', async () => {
      await using harness = await open()
      const changes = Array.from({ length: 12_000 }, (_, index) => ({
        userId: `u${index}`,
        traits: { plan: index % 1_000 === 0 ? 'pro' : 'free' },
      }))
      await follow(harness, changes)
      const first = await harness.backend.evaluations.differing({
        computationId: 'aud_a',
        space: 'default',
        condition: PRO,
        clauses: [],
        findsRechecks: false,
        now: NOON,
        after: 0,
      })
      expect(first.reached).not.toBeNull()
      const { found, looked } = await walk(harness, { condition: PRO })
      expect([found.length, looked]).toEqual([12, 12_000])
      expect(await settle(harness)).toHaveLength(10_000)
    })
  })
}

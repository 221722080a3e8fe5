import { describe, expect, test } from 'vitest'
import type { ArchivedFact, FactClause, FillSlice } from '../../../../src/backend/facts.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { anonymous, follow, loadProfile, settle, user } from './profile-changes.ts'
import { purgeUser } from '../deletions/purge-requests.ts'

const RETENTION = { maxAgeMs: null, maxCount: 100 }
const CLAUSE = { definition: 'track: Order', retention: RETENTION, reachesBackTo: NOON - 9 }

/** An archived fact of u1 at a position. */
const archived = (
  clause: number,
  position: number,
  change: Partial<ArchivedFact> = {},
): ArchivedFact => ({
  clause,
  position,
  space: 'default',
  ids: [user('u1')],
  at: NOON + position,
  value: null,
  ...change,
})

function fill({ backend: { facts } }: BackendHarness, slice: FillSlice): Promise<boolean> {
  return facts.fill(slice)
}

async function positionsOf(harness: BackendHarness, clause: number, id = 'u1'): Promise<number[]> {
  const { facts } = await loadProfile(harness, id)
  return (facts.get(clause) ?? []).map(({ position }) => position)
}

async function pruneAll({ backend: { facts } }: BackendHarness, now: number): Promise<void> {
  let cursor = await facts.prune({ now })
  while (cursor !== null) cursor = await facts.prune({ now, cursor })
}

/** Applies an event from u1 at each position, counted by the clause. */
async function count(
  harness: BackendHarness,
  clause: number,
  positions: readonly number[],
): Promise<void> {
  await follow(
    harness,
    positions.map((position) => ({
      position,
      type: 'track' as const,
      timestamp: NOON + position,
      facts: [{ clause, value: { n: position } }],
    })),
  )
}

export function factsConformance(open: OpenBackendHarness): void {
  describe('a clause', () => {
    test('is complete immediately if there are no profiles, and persists across a restart', async () => {
      await using harness = await open()
      const clause = await harness.backend.facts.put(CLAUSE)
      const { number } = clause
      expect(clause).toEqual({ ...CLAUSE, number, fillThrough: 0, filledThrough: 0 })
      await harness.reopen()
      expect(await harness.backend.facts.clauses()).toEqual([clause])
    })

    test('is stored once per definition', async () => {
      await using harness = await open()
      const { facts } = harness.backend
      await follow(harness, [{}, {}])
      const first = await facts.put(CLAUSE)
      expect(first).toMatchObject({ fillThrough: 2, filledThrough: 0 })
      await follow(harness, [{}])
      expect(await facts.put(CLAUSE)).toEqual(first)
      expect(await facts.put({ ...CLAUSE, reachesBackTo: null })).toEqual(first)
      const other = await facts.put({ ...CLAUSE, definition: 'other' })
      expect(other.number).not.toBe(first.number)
      expect(await facts.clauses()).toEqual([first, other])
    })

    test.each<[string, FactClause['retention'], FactClause['retention']]>([
      ['with a longer window', { maxAgeMs: 9, maxCount: 5 }, { maxAgeMs: 9, maxCount: 5 }],
      ['without a window', { maxAgeMs: null, maxCount: 1 }, { maxAgeMs: null, maxCount: 5 }],
      ['with more facts', { maxAgeMs: 1, maxCount: 6 }, { maxAgeMs: 7, maxCount: 6 }],
    ])('%s is filled again from the archive', async (_, retention, wanted) => {
      await using harness = await open()
      const { facts } = harness.backend
      const { number } = await facts.put({ ...CLAUSE, retention: { maxAgeMs: 7, maxCount: 5 } })
      await follow(harness, [{}, {}, {}])
      const wider = await facts.put({ ...CLAUSE, retention, reachesBackTo: NOON - 4 })
      const { definition } = CLAUSE
      const filling = { fillThrough: 3, filledThrough: 0, reachesBackTo: NOON - 4 }
      expect(wider).toEqual({ number, definition, retention: wanted, ...filling })
      const narrow = { ...CLAUSE, retention: { maxAgeMs: 1, maxCount: 1 }, reachesBackTo: NOON }
      expect(await facts.put(narrow)).toEqual(wider)
    })

    test('that is removed has no facts, and its number is not reused', async () => {
      await using harness = await open()
      const { facts } = harness.backend
      const { number } = await facts.put(CLAUSE)
      await count(harness, number, [1, 2])
      await facts.remove(number)
      await facts.remove(number)
      expect((await loadProfile(harness)).facts.size).toBe(0)
      const again = await facts.put(CLAUSE)
      expect(again.number).toBeGreaterThan(number)
      await pruneAll(harness, NOON)
      expect(await facts.clauses()).toEqual([again])
    })

    test('can be removed while a slice with its facts is in progress', async () => {
      await using harness = await open()
      const { facts } = harness.backend
      const { number } = await facts.put(CLAUSE)
      await facts.remove(number)
      const positions = Array.from({ length: 70 }, (_, index) => index + 1)
      await count(harness, number, positions)
      const { purges } = await harness.backend.profiles.state()
      const some = positions.map((position) => archived(number, position + 100))
      const slice = { clauses: [number], through: 9, purges, at: NOON, facts: some }
      expect(await fill(harness, slice)).toBe(true)
      await pruneAll(harness, NOON)
      expect((await loadProfile(harness)).facts.size).toBe(0)
    })
  })

  describe('facts', () => {
    test('are sorted newest first, with their values, regardless of their order in the log', async () => {
      await using harness = await open()
      const { number } = await harness.backend.facts.put(CLAUSE)
      const at = [NOON, NOON - 5, NOON, NOON + 3]
      await follow(
        harness,
        at.map((timestamp, index) => ({
          type: 'track',
          timestamp,
          facts: [{ clause: number, value: [index, 'ö"'] }],
        })),
      )
      await harness.reopen()
      const found = (await loadProfile(harness)).facts.get(number)
      expect(found?.map(({ position }) => position)).toEqual([4, 3, 1, 2])
      expect(found?.[0]).toEqual({ at: NOON + 3, position: 4, value: [3, 'ö"'] })
    })

    test('of one event are counted by each of its clauses', async () => {
      await using harness = await open()
      const { facts } = harness.backend
      const [a, b] = [await facts.put(CLAUSE), await facts.put({ ...CLAUSE, definition: 'b' })]
      const both = [a, b].map(({ number }) => ({ clause: number, value: number }))
      await follow(harness, [{ type: 'track', facts: both }])
      const found = (await loadProfile(harness)).facts
      expect(new Set(found.keys())).toEqual(new Set([a.number, b.number]))
      expect(found.get(b.number)).toEqual([{ at: NOON, position: 1, value: b.number }])
    })

    test('are limited to the newest ones that the clause keeps', async () => {
      await using harness = await open()
      const { facts } = harness.backend
      const { number } = await facts.put({ ...CLAUSE, retention: { maxAgeMs: null, maxCount: 3 } })
      await count(harness, number, [9, 3, 64, 32, 5, 40])
      expect(await positionsOf(harness, number)).toEqual([64, 40, 32])
      await pruneAll(harness, NOON)
      await facts.put({ ...CLAUSE, retention: { maxAgeMs: null, maxCount: 9 } })
      expect(await positionsOf(harness, number)).toEqual([64, 40, 32])
    })

    test.each([1, 20])('are limited in total for a user with %d anonymousIds', async (devices) => {
      await using harness = await open()
      const { facts } = harness.backend
      const { number } = await facts.put({ ...CLAUSE, retention: { maxAgeMs: null, maxCount: 3 } })
      const ids = Array.from({ length: devices }, (_, index) => `a${index}`)
      const counted = ids.flatMap((anonymousId, index) =>
        [0, 100, 200].map((at) => ({
          anonymousId,
          type: 'track' as const,
          timestamp: NOON + at + index,
          facts: [{ clause: number, value: at + index }],
        })),
      )
      const linked = ids.map((id) => ({ userId: 'u1', links: [anonymous(id)] }))
      await follow(harness, [...counted, ...linked])
      const newest = counted.map(({ timestamp }) => timestamp).toSorted((a, b) => b - a)
      const kept = (await loadProfile(harness)).facts.get(number)!
      expect(kept.map(({ at }) => at)).toEqual(newest.slice(0, 3))
    })

    test('are pruned when they leave the window of the clause', async () => {
      await using harness = await open()
      const { facts } = harness.backend
      const { number } = await facts.put({ ...CLAUSE, retention: { maxAgeMs: 10, maxCount: 100 } })
      const kept = await facts.put({ ...CLAUSE, definition: 'for ever' })
      await count(harness, number, [1, 2, 3])
      await count(harness, kept.number, [4])
      await pruneAll(harness, NOON + 12)
      expect(await positionsOf(harness, number)).toEqual([3])
      expect(await positionsOf(harness, kept.number)).toEqual([4])
    })

    test('are pruned slice by slice for any number of profiles', async () => {
      await using harness = await open()
      const { facts } = harness.backend
      const { number } = await facts.put({ ...CLAUSE, retention: { maxAgeMs: 10, maxCount: 100 } })
      const changes = Array.from({ length: 6_000 }, (_, index) => ({
        userId: `u${index % 1_500}`,
        type: 'track' as const,
        timestamp: index % 3 === 0 ? NOON : NOON - 20,
        facts: [{ clause: number, value: 1 }],
      }))
      await follow(harness, changes)
      const first = await facts.prune({ now: NOON })
      expect(first).not.toBeNull()
      await pruneAll(harness, NOON)
      await facts.put({ ...CLAUSE, retention: { maxAgeMs: null, maxCount: 1_000 } })
      const due = await harness.backend.evaluations.due(NOON, 2_000)
      const left = due.flatMap((profile) => profile.facts.get(number) ?? [])
      expect(left).toHaveLength(2_000)
      expect(left.every(({ at }) => at === NOON)).toBe(true)
    })
  })

  describe('filling', () => {
    test('adds archived facts once and marks their profiles as dirty', async () => {
      await using harness = await open()
      const { facts, profiles } = harness.backend
      await follow(harness, [{}, {}, {}, { userId: 'u2' }])
      const { number } = await facts.put(CLAUSE)
      await settle(harness)
      const { purges } = await profiles.state()
      const some = [archived(number, 1, { value: 'x' }), archived(number, 3)]
      const slice = { clauses: [number], through: 3, facts: some, purges, at: NOON }
      expect(await fill(harness, slice)).toBe(true)
      expect(await settle(harness)).toEqual(['u1'])
      expect(await fill(harness, slice)).toBe(true)
      expect(await settle(harness)).toEqual([])
      await harness.reopen()
      expect((await loadProfile(harness)).facts.get(number)).toEqual([
        { at: NOON + 3, position: 3, value: null },
        { at: NOON + 1, position: 1, value: 'x' },
      ])
      expect(await harness.backend.facts.clauses()).toMatchObject([{ filledThrough: 3 }])
    })

    test('neither misses nor duplicates a fact that also comes from the log', async () => {
      await using harness = await open()
      const { facts, profiles } = harness.backend
      await follow(harness, [{}, {}])
      const { number, fillThrough } = await facts.put(CLAUSE)
      expect(fillThrough).toBe(2)
      await count(harness, number, [3, 4])
      const { purges } = await profiles.state()
      const some = [1, 2, 3, 4].map((position) => archived(number, position))
      const slice = { clauses: [number], facts: some, purges, at: NOON }
      await fill(harness, { ...slice, through: 4 })
      expect(await positionsOf(harness, number)).toEqual([4, 3, 2, 1])
      expect(await facts.clauses()).toMatchObject([{ fillThrough: 2, filledThrough: 2 }])
      await fill(harness, { ...slice, facts: [], through: 1 })
      expect(await facts.clauses()).toMatchObject([{ filledThrough: 2 }])
    })

    test('several clauses advances each', async () => {
      await using harness = await open()
      const { facts, profiles } = harness.backend
      await follow(harness, [{}, {}, {}])
      const a = await facts.put(CLAUSE)
      const b = await facts.put({ ...CLAUSE, definition: 'b' })
      await facts.put({ ...CLAUSE, definition: 'c' })
      const { purges } = await profiles.state()
      const clauses = [a.number, b.number]
      await fill(harness, { clauses, through: 2, facts: [], purges, at: NOON })
      const filled = (await facts.clauses()).map(({ filledThrough }) => filledThrough)
      expect(filled).toEqual([2, 2, 0])
    })

    test('adds a fact to the profile of its first id with a profile, and to no other profile', async () => {
      await using harness = await open()
      const { facts, profiles } = harness.backend
      await follow(harness, [
        { anonymousId: 'a1' },
        { userId: 'u1', links: [anonymous('a1')] },
        { userId: 'u2' },
        { userId: 'u1', space: 'other' },
      ])
      const { number } = await facts.put(CLAUSE)
      const { purges } = await profiles.state()
      const some = [
        archived(number, 1, { ids: [user('gone'), anonymous('a1'), user('u2')] }),
        archived(number, 2, { ids: [user('gone')] }),
        archived(number, 3, { ids: [] }),
        archived(number, 4, { ids: [anonymous('u2'), user('u2')] }),
        archived(number, 5, { space: 'other' }),
      ]
      await fill(harness, { clauses: [number], through: 4, facts: some, purges, at: NOON })
      expect(await positionsOf(harness, number)).toEqual([1])
      expect(await positionsOf(harness, number, 'u2')).toEqual([4])
      expect((await loadProfile(harness, 'u1', 'other')).facts.get(number)).toHaveLength(1)
      expect(await profiles.count('default')).toBe(2)
    })

    test('refuses a slice read before a purge', async () => {
      await using harness = await open()
      const { facts, profiles } = harness.backend
      await follow(harness, [{}, {}])
      const { number } = await facts.put(CLAUSE)
      const { purges } = await profiles.state()
      await purgeUser(harness, 'u2')
      const slice = { clauses: [number], through: 2, facts: [archived(number, 1)], at: NOON }
      expect(await fill(harness, { ...slice, purges })).toBe(false)
      expect(await facts.clauses()).toMatchObject([{ filledThrough: 0 }])
      expect(await positionsOf(harness, number)).toEqual([])
      const now = await profiles.state()
      expect(await fill(harness, { ...slice, purges: now.purges })).toBe(true)
    })
  })
}

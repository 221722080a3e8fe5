import { type Comparison, holds, type Json, valueAt } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import type {
  Differing,
  Evaluated,
  LoadedProfile,
  PlannedCondition,
} from '../../../../src/backend/evaluations.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import type { BackendHarness, OpenBackendHarness } from '../backend-harness.ts'
import { announce, follow } from '../profiles/profile-changes.ts'
import { SEED } from '@hookline/testing/run/seed'

const POPULATIONS = 12
const CONDITIONS = 30
const PROFILES = 25
const DAY_MS = 24 * 60 * 60 * 1000
const LISTED = 'aud_list'

class Random {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = seededRandom(seed)
  }

  below(count: number): number {
    return Math.floor(this.#next() * count)
  }

  one<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!
  }

  is(chance: number): boolean {
    return this.#next() < chance
  }
}

/** Times around NOON that often meet the end of a window. */
const timeOf = (random: Random): number =>
  NOON + random.one([-3, -2, -1, 0, 1]) * DAY_MS + random.one([-1, 0, 1, 5])

const isoOf = (at: number): string => new Date(at).toISOString()
const VALUES: readonly ((random: Random) => Json)[] = [
  (random) => random.below(4),
  (random) => random.one(['pro', 'free', '', 'x"y', '2']),
  (random) => random.is(0.5),
  (random) => isoOf(timeOf(random)),
  () => ['pro', 1],
  (random) => ({ b: random.below(3), c: isoOf(timeOf(random)) }),
]
const valueOf = (random: Random): Json => random.one(VALUES)(random)

const COMPARISONS: readonly ((random: Random) => Comparison)[] = [
  (random) => ({ op: random.one(['equals', 'not_equals']), value: valueOf(random) }),
  (random) => ({ op: random.one(['<', '<=', '>', '>=']), value: random.below(4) }),
  (random) => ({
    op: random.one(['contains', 'not_contains']),
    value: random.one(['pro', 1, 'r']),
  }),
  (random) => ({ op: random.one(['starts_with', 'ends_with']), value: random.one(['p', 'e', '']) }),
  (random) => ({ op: random.one(['exists', 'not_exists']) }),
  () => ({ op: 'one_of', value: ['pro', 2, true] }),
  (random) => ({ op: random.one(['before', 'after']), value: isoOf(timeOf(random)) }),
  (random) => ({ op: 'within_last_days', value: 1 + random.below(3) }),
]
const comparisonOf = (random: Random): Comparison => random.one(COMPARISONS)(random)

function conditionOf(random: Random, clauses: readonly number[], levels: number): PlannedCondition {
  const inner = (): PlannedCondition => conditionOf(random, clauses, levels - 1)
  if (levels > 0 && random.is(0.6)) {
    if (random.is(0.25)) return { not: inner() }
    const parts = Array.from({ length: random.below(4) }, inner)
    return random.is(0.5) ? { and: parts } : { or: parts }
  }
  const count = { op: random.one(['==', '!=', '<', '<=', '>', '>='] as const), n: random.below(4) }
  const clause = random.one(clauses)
  const from = timeOf(random)
  return random.one<PlannedCondition>([
    {
      trait: random.one([['a'], ['a', 'b'], ['a', 'c'], ['x.y'], ['none']]),
      is: comparisonOf(random),
    },
    { computation: 'trt_a', is: comparisonOf(random) },
    { memberOf: 'aud_b' },
    { listOf: LISTED },
    { clause, count },
    { clause, count, withinMs: random.one([1, 2, 3]) * DAY_MS },
    { clause, count, withinMs: random.one([1, 2, 3]) * DAY_MS },
    { clause, count, between: [from, from + random.below(3) * DAY_MS] },
  ])
}

/** The reference: what the condition says of a profile at a time. */
function verdictOf(condition: PlannedCondition, profile: LoadedProfile, now: number): boolean {
  const each = (inner: PlannedCondition): boolean => verdictOf(inner, profile, now)
  if ('and' in condition) return condition.and.every(each)
  if ('or' in condition) return condition.or.some(each)
  if ('not' in condition) return !each(condition.not)
  if ('trait' in condition)
    return holds(condition.is, valueAt(profile.traits, condition.trait), now)
  if ('computation' in condition)
    return holds(condition.is, profile.results.get(condition.computation)?.value, now)
  if ('memberOf' in condition) return profile.results.has(condition.memberOf)
  if ('listOf' in condition) return profile.manual.has(condition.listOf)
  const { clause, withinMs = Infinity, between: [from, to] = [-Infinity, Infinity] } = condition
  const { op, n } = condition.count
  const counted = (profile.facts.get(clause) ?? []).filter(
    ({ at }) => at > now - withinMs && at >= from && at < to,
  ).length
  const results = { '==': counted === n, '!=': counted !== n, '<': counted < n, '<=': counted <= n }
  return { ...results, '>': counted > n, '>=': counted >= n }[op]
}

/** Every moment at which anything in the profile can change a verdict by time alone, from `now` on. */
function momentsOf(profile: LoadedProfile, now: number): number[] {
  const facts = [...profile.facts.values()].flat().map(({ at }) => at)
  const texts = JSON.stringify([profile.traits, [...profile.results.values()]])
  const dates = (texts.match(/\d{4}-[\d-]+T[\d:.]+Z/g) ?? []).map((text) => Date.parse(text))
  return [...facts, ...dates]
    .flatMap((at) => [0, 1, 2, 3].map((days) => at + days * DAY_MS))
    .filter((at) => at > now)
    .toSorted((a, b) => a - b)
}

/** When the verdict next changes by time alone. */
function nextChange(condition: PlannedCondition, profile: LoadedProfile): number {
  const before = verdictOf(condition, profile, NOON)
  const moments = momentsOf(profile, NOON)
  return moments.find((at) => verdictOf(condition, profile, at) !== before) ?? Infinity
}

/** A random population of a space, evaluated at random. Returns the profiles, and which `recheckAt` each has. */
async function populate(
  { backend }: BackendHarness,
  random: Random,
  space: string,
): Promise<{ profiles: readonly LoadedProfile[]; recheckAt: ReadonlyMap<number, number | null> }> {
  const clauses = (await backend.facts.clauses()).map(({ number }) => number)
  const changes = Array.from({ length: PROFILES * 5 }, () => ({
    space,
    userId: `u${random.below(PROFILES)}`,
    timestamp: timeOf(random),
    type: 'track' as const,
    facts: [{ clause: random.one(clauses), value: null }],
  }))
  const traits = Array.from({ length: PROFILES }, (_, index) => ({
    space,
    userId: `u${index}`,
    traits: { a: random.is(0.2) ? null : valueOf(random), 'x.y': valueOf(random) },
  }))
  await follow({ backend } as BackendHarness, [...changes, ...traits])
  const add = traits.map(({ userId }) => userId).filter(() => random.is(0.3))
  const list = { audienceId: LISTED, space }
  // The list has users of every space: a user is on it in all or in none.
  if (space === 's0') await backend.memberships.changeList(list, { add, remove: [], at: NOON })
  const recheckAt = new Map<number, number | null>()
  const due = await backend.evaluations.due(NOON * 2, 10_000)
  const mine = due.filter((profile) => profile.space === space)
  const evaluated = mine.map((profile): Evaluated => {
    const { profileId, version, userIds } = profile
    const result = (computationId: string, value: Json) =>
      random.is(0.5) ? [{ computationId, value, since: NOON }] : []
    const at = random.is(0.3) ? null : random.one([...momentsOf(profile, NOON - DAY_MS), NOON])
    recheckAt.set(profileId, at)
    return {
      profileId,
      version,
      recheckAt: at,
      announcements: random.is(0.8) ? userIds.map((userId) => announce(userId)) : [],
      results: [
        ...result('aud_a', true),
        ...result('aud_b', true),
        ...result('trt_a', valueOf(random)),
      ],
    }
  })
  await backend.evaluations.commit(evaluated)
  const touched = [...recheckAt.keys()].filter(() => random.is(0.2))
  const dirty = mine.filter(({ profileId }) => touched.includes(profileId))
  const changed = dirty.map(({ userIds }) => ({
    space,
    userId: userIds[0]!,
    traits: { changed: 1 },
  }))
  await follow({ backend } as BackendHarness, changed)
  const profiles = await backend.evaluations.load([...recheckAt.keys()].toSorted((a, b) => a - b))
  for (const id of touched) recheckAt.set(id, 0)
  return { profiles, recheckAt }
}

interface Case {
  readonly condition: PlannedCondition
  readonly profiles: readonly LoadedProfile[]
  readonly recheckAt: ReadonlyMap<number, number | null>
}

/** Compares what was found with the reference. A profile that is dirty has the `recheckAt` 0 here. */
function check({ condition, profiles, recheckAt }: Case, all: Differing, some: Differing): void {
  const differs = (profile: LoadedProfile): boolean => {
    const { results, userIds, announced } = profile
    if (verdictOf(condition, profile, NOON) !== results.has('aud_a')) return true
    return results.has('aud_a') && userIds.length > (announced.get('aud_a')?.size ?? 0)
  }
  const isDue = ({ profileId }: LoadedProfile): boolean =>
    (recheckAt.get(profileId) ?? Infinity) <= NOON
  const idsOf = (found: readonly LoadedProfile[]): number[] =>
    found.map(({ profileId }) => profileId)
  const wrong = profiles.filter(differs)
  expect(some.profileIds).toEqual(idsOf(wrong))
  expect(some.missed).toEqual(idsOf(wrong.filter((profile) => !isDue(profile))))
  expect(all.missed).toEqual(some.missed)
  const found = new Set(all.profileIds)
  expect(found.isSupersetOf(new Set(some.profileIds))).toBe(true)
  for (const profile of profiles) {
    const { profileId } = profile
    // For a dirty profile, what it had before counts, which is not known here.
    const recheck = recheckAt.get(profileId) ?? Infinity
    if (recheck === 0) continue
    const isLate = nextChange(condition, profile) < recheck
    if (isLate) expect(found, `profile ${profileId}`).toContain(profileId)
    if (recheck <= NOON && !differs(profile)) expect(found).not.toContain(profileId)
  }
}

export function differingAgreesConformance(open: OpenBackendHarness): void {
  describe('the search for differing profiles', () => {
    test(
      `agrees with a plain evaluation of random conditions (seed ${SEED})`,
      { timeout: 120_000 },
      async () => {
        await using harness = await open()
        const { evaluations, facts } = harness.backend
        const random = new Random(SEED)
        const keeping = { forMs: null, most: 1_000 }
        for (const definition of ['a', 'b'])
          await facts.put({ definition, keeping, reachesBackTo: null })
        const clauses = (await facts.clauses()).map(({ number }) => number)
        for (let population = 0; population < POPULATIONS; population++) {
          const space = `s${population}`
          const populated = await populate(harness, random, space)
          for (let index = 0; index < CONDITIONS; index++) {
            const condition = conditionOf(random, clauses, 3)
            const query = {
              computationId: 'aud_a',
              space,
              condition,
              clauses,
              now: NOON,
              after: 0,
            }
            const [all, some] = await Promise.all([
              evaluations.differing({ ...query, findsRechecks: true }),
              evaluations.differing({ ...query, findsRechecks: false }),
            ])
            check({ condition, ...populated }, all, some)
          }
        }
      },
    )
  })
}

import { type Audience, type Compute, type Condition, type Json, LIMITS } from '@hookline/protocol'
import type { LoadedProfile } from '../backend/evaluations.ts'
import type { FactClause } from '../backend/facts.ts'
import type { Profiles } from '../backend/profiles.ts'
import { TimeSlices } from '../util/time/time-slices.ts'
import { ArchivedFacts, type ArchivedFactsOptions } from './archived-facts.ts'
import { clauseOfCompute, clausesOf } from './conditions/clauses.ts'
import { computeValue } from './conditions/compute-value.ts'
import { evaluate } from './conditions/evaluate.ts'
import { EventMatcher } from './conditions/match-event.ts'
import { planCondition, type PlannedCondition } from './conditions/plan-condition.ts'
import type { Computations } from './conditions/references.ts'
import { windowMs } from './conditions/window.ts'
import { isFilled } from './evaluation/plans.ts'

interface PreviewOptions extends ArchivedFactsOptions {
  readonly profiles: Pick<Profiles, 'count' | 'state'>
}

/** The condition of an audience, or a computed trait, and its space. */
export type Previewed = { readonly space: string } & (
  { readonly condition: Condition } | { readonly compute: Compute }
)

/** The users that would have a value, and a sample of them. */
export interface PreviewResult {
  readonly size: number
  /** False where the size is estimated. */
  readonly isExact: boolean
  /** At most ten users. `value` is `true` for a member of an audience. */
  readonly sample: readonly { readonly userId: string | null; readonly value: Json }[]
  /** Since when events are known, in milliseconds since the epoch; `null`: there are none. */
  readonly reachesBackTo: number | null
}

/** Profiles up to which all are evaluated; of more, every n-th is. */
const MAX_PROFILES = 100_000
const SAMPLE = 10

/** Evaluates a definition that is not saved. `clauses`: all that are stored. */
export async function preview(
  previewed: Previewed,
  clauses: readonly FactClause[],
  options: PreviewOptions,
): Promise<PreviewResult> {
  const { catalog, evaluations, followedLog, profiles, clock } = options
  const { space } = previewed
  const now = clock.wall()
  const plan = planOf(previewed, clauses, catalog.current.computations)
  const [oldest] = (await followedLog.read({ after: 0, limit: 1 })).events
  const archived = new ArchivedFacts(options, space, new EventMatcher(plan.unfilled))
  const isWhole =
    plan.unfilled.length === 0 || oldest === undefined || (await archived.read(oldest.position - 1))
  // Profiles have numbers in the order in which they were made, so every n-th one is a fair sample.
  const every = Math.ceil((await profiles.count(space)) / MAX_PROFILES) || 1
  const slices = new TimeSlices(clock)
  const sample: PreviewResult['sample'][number][] = []
  let members = 0
  for (let after: number | undefined = 0; after !== undefined;) {
    const batch = await evaluations.walk({ space, after, every, clauses: plan.filled })
    for (const profile of batch) {
      await slices.yieldIfOver()
      const facts = archived.addTo(profile)
      if (!evaluate(plan.condition, { ...profile, facts }, now).value) continue
      members++
      if (sample.length < SAMPLE)
        sample.push({ userId: profile.userIds[0] ?? null, value: plan.valueOf(facts, now) })
    }
    after = batch.at(-1)?.profileId
  }
  return {
    size: members * every,
    isExact: every === 1 && isWhole,
    sample,
    reachesBackTo: oldest === undefined ? null : Date.parse(oldest.event.event.receivedAt),
  }
}

interface PreviewPlan {
  /** Holds for the profiles that would have a value. */
  readonly condition: PlannedCondition
  /** The value of such a profile. */
  readonly valueOf: (facts: LoadedProfile['facts'], now: number) => Json
  /** The numbers of the clauses whose facts are stored. */
  readonly filled: readonly number[]
  /** The others. They have negative numbers here. */
  readonly unfilled: readonly Pick<FactClause, 'number' | 'definition'>[]
}

function planOf(
  previewed: Previewed,
  clauses: readonly FactClause[],
  computations: Computations,
): PreviewPlan {
  const stored = new Map(
    clauses.filter(isFilled).map(({ definition, number }) => [definition, number]),
  )
  const needed =
    'compute' in previewed
      ? [clauseOfCompute(previewed.compute)]
      : clausesOf({ kind: 'audience', condition: previewed.condition } as Audience)
  const definitions = [...new Set(needed.map(({ definition }) => definition))]
  const numbers = new Map(
    definitions.map((definition, index) => [definition, stored.get(definition) ?? -1 - index]),
  )
  const counted = [...numbers].map(([definition, number]) => ({ definition, number }))
  const shared = {
    filled: [...numbers.values()].filter((number) => number >= 0),
    unfilled: counted.filter(({ number }) => number < 0),
  }
  if ('condition' in previewed) {
    const { condition, space } = previewed
    const planned = planCondition(condition, { clauses: numbers, space, computations })
    return { ...shared, condition: planned, valueOf: () => true }
  }
  const { compute } = previewed
  const clause = counted[0]!.number
  return {
    ...shared,
    condition: { clause, ...windowMs(compute), count: { op: '>=', n: 1 } },
    valueOf: (facts, now) => {
      const newest = facts.get(clause)!.slice(0, LIMITS.factsPerComputedTrait)
      return computeValue(compute, newest, now, true).value ?? null
    },
  }
}

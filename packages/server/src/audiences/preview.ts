import type { Audience, Compute, Condition, Json } from '@hookline/protocol'
import type { FactClause } from '../backend/facts.ts'
import type { Profiles } from '../backend/profiles.ts'
import { TimeSlices } from '../util/time/time-slices.ts'
import { ArchivedFacts, type ArchivedFactsOptions } from './archived-facts.ts'
import { clauseOfCompute, clausesOf } from './conditions/clauses.ts'
import { EventMatcher } from './conditions/match-event.ts'
import { planCondition } from './conditions/plan-condition.ts'
import type { Computations } from './conditions/references.ts'
import { type EvaluationPlan, valueOf } from './evaluation/evaluate-profile.ts'
import { isFilled } from './evaluation/plans.ts'

interface PreviewOptions extends ArchivedFactsOptions {
  readonly profiles: Pick<Profiles, 'count' | 'state'>
}

export type PreviewedDefinition = { readonly space: string } & (
  { readonly condition: Condition } | { readonly compute: Compute }
)

export interface PreviewResult {
  readonly size: number
  /** False if the size is an estimate. */
  readonly isExact: boolean
  /** At most ten users. A member of an audience has the value `true`. */
  readonly sample: readonly { readonly userId: string | null; readonly value: Json }[]
  /** Time of the oldest known event, in milliseconds since the epoch; `null` without events. */
  readonly reachesBackTo: number | null
}

/** Above this, every n-th profile is evaluated. */
const MAX_PROFILES = 100_000
const SAMPLE = 10

/** Evaluates an unsaved definition. `clauses`: all stored clauses. */
export async function preview(
  previewed: PreviewedDefinition,
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
  // Profiles are numbered in order of creation, so every n-th one is a fair sample.
  const every = Math.ceil((await profiles.count(space)) / MAX_PROFILES) || 1
  const slices = new TimeSlices(clock)
  const sample: PreviewResult['sample'][number][] = []
  let members = 0
  for (let after: number | undefined = 0; after !== undefined;) {
    const batch = await evaluations.walk({ space, after, every, clauses: plan.filled })
    for (const profile of batch) {
      await slices.yieldIfOver()
      const { value } = valueOf(
        plan.rule,
        { ...profile, facts: archived.addTo(profile) },
        false,
        now,
      )
      if (value === undefined) continue
      members++
      if (sample.length < SAMPLE) sample.push({ userId: profile.userIds[0] ?? null, value })
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
  readonly rule: Exclude<EvaluationPlan['rule'], 'never'>
  /** Numbers of clauses with stored facts. */
  readonly filled: readonly number[]
  /** Other clauses, under negative numbers. */
  readonly unfilled: readonly Pick<FactClause, 'number' | 'definition'>[]
}

function planOf(
  previewed: PreviewedDefinition,
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
  const rule =
    'compute' in previewed
      ? { compute: previewed.compute, clause: counted[0]!.number }
      : {
          condition: planCondition(previewed.condition, {
            clauses: numbers,
            space: previewed.space,
            computations,
          }),
        }
  return {
    rule,
    filled: [...numbers.values()].filter((number) => number >= 0),
    unfilled: counted.filter(({ number }) => number < 0),
  }
}

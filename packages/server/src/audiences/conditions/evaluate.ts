import {
  type Comparison,
  type CountOperator,
  comparisonHolds,
  type Json,
  nextChangeOf,
  valueAt,
} from '@hookline/protocol'
import type { LoadedProfile } from '../../backend/evaluations.ts'
import type { Fact } from '../../backend/profiles.ts'
import type { PlannedCondition, PlannedCount } from './plan-condition.ts'
import { isInWindow, type WindowMs } from './window.ts'

/** Input of a condition, such as a loaded profile. */
export interface ProfileView extends Pick<LoadedProfile, 'traits' | 'facts' | 'manual'> {
  /** Current values by computation id. A member of an audience has `true`. */
  readonly results: ReadonlyMap<string, { readonly value: Json }>
}

export interface ConditionVerdict {
  readonly value: boolean
  /** When the verdict can next change by time alone, in milliseconds since the epoch; `null`: never. */
  readonly recheckAt: number | null
}

export function evaluate(
  condition: PlannedCondition,
  profile: ProfileView,
  now: number,
): ConditionVerdict {
  const evaluation = new Evaluation(profile, now)
  const value = evaluation.holds(condition)
  const { recheckAt } = evaluation
  return { value, recheckAt: recheckAt === Infinity ? null : recheckAt }
}

/** Counts facts in the window, up to `limit`. Facts are ordered newest first. */
export function countInWindow(
  window: WindowMs,
  facts: readonly Fact[],
  now: number,
  limit: number,
): number {
  let begin = 0
  // Only a fixed window excludes newer facts.
  if (window.between !== undefined) {
    while (begin < facts.length && facts[begin]!.at >= window.between[1]) begin++
  }
  let end = begin
  while (end < facts.length && end - begin < limit && isInWindow(window, facts[end]!.at, now)) end++
  return end - begin
}

const NO_FACTS: readonly Fact[] = []

/** One object per tree: one per part would allocate millions of objects per second. */
class Evaluation {
  readonly #profile: ProfileView
  readonly #now: number
  recheckAt = Infinity

  constructor(profile: ProfileView, now: number) {
    this.#profile = profile
    this.#now = now
  }

  holds(condition: PlannedCondition): boolean {
    if ('clause' in condition) return this.#count(condition)
    if ('trait' in condition) {
      return this.#compare(condition.is, valueAt(this.#profile.traits, condition.trait))
    }
    if ('and' in condition) return this.#all(condition.and, true)
    if ('or' in condition) return !this.#all(condition.or, false)
    if ('not' in condition) return !this.holds(condition.not)
    if ('memberOf' in condition)
      return this.#profile.results.get(condition.memberOf)?.value === true
    if ('listOf' in condition) return this.#profile.manual.has(condition.listOf)
    return this.#compare(condition.is, this.#profile.results.get(condition.computation)?.value)
  }

  /** Continues after the verdict is decided, to find the next change, unless the deciding clause is constant. */
  #all(conditions: readonly PlannedCondition[], expected: boolean): boolean {
    const recheckAt = this.recheckAt
    let verdict = true
    let next = Infinity
    for (const each of conditions) {
      this.recheckAt = Infinity
      const isAsExpected = this.holds(each) === expected
      if (!isAsExpected && this.recheckAt === Infinity) {
        this.recheckAt = recheckAt
        return false
      }
      next = Math.min(next, this.recheckAt)
      verdict &&= isAsExpected
    }
    this.recheckAt = Math.min(recheckAt, next)
    return verdict
  }

  #compare(is: Comparison, actual: Json | undefined): boolean {
    const next = nextChangeOf(is, actual, this.#now)
    if (next !== null && next < this.recheckAt) this.recheckAt = next
    return comparisonHolds(is, actual, this.#now)
  }

  #count(planned: PlannedCount): boolean {
    const { clause, count, withinMs } = planned
    const facts = this.#profile.facts.get(clause) ?? NO_FACTS
    const matching = countInWindow(planned, facts, this.#now, count.n + 1)
    if (withinMs !== undefined) {
      const deciding = decidingFact(count, matching, facts)
      if (deciding !== undefined) this.recheckAt = Math.min(this.recheckAt, deciding.at + withinMs)
    }
    return COUNT_TESTS[count.op](matching, count.n)
  }
}

const COUNT_TESTS: Readonly<Record<CountOperator, (count: number, n: number) => boolean>> = {
  '==': (count, n) => count === n,
  '!=': (count, n) => count !== n,
  '<': (count, n) => count < n,
  '<=': (count, n) => count <= n,
  '>': (count, n) => count > n,
  '>=': (count, n) => count >= n,
}

/** The fact whose departure from the window changes the verdict, if any. `count` is exact up to at least `n` + 1. */
function decidingFact(
  { op, n }: PlannedCount['count'],
  count: number,
  facts: readonly Fact[],
): Fact | undefined {
  const isExact = op === '==' || op === '!='
  // The verdict differs between this count and one less.
  const threshold = op === '>' || op === '<=' ? n + 1 : n
  if (count < threshold) return undefined
  if (!isExact || count === n) return facts[threshold - 1]
  // Facts with equal times leave together, so the count is never exactly n.
  return n > 0 && facts[n - 1]!.at === facts[n]!.at ? undefined : facts[n]
}

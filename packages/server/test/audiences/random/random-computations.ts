import {
  type Comparison,
  type Compute,
  COMPUTE_FUNCTIONS,
  type Computation,
  type Condition,
  COUNT_OPERATORS,
  type EventSelection,
  formatTimestamp,
  type Json,
  type Window,
} from '@hookline/protocol'
import type { Chance } from './chance.ts'

const HOUR_MS = 60 * 60 * 1000

interface Surroundings {
  /** The computations that a condition may refer to. */
  readonly others: readonly Computation[]
  /** The time around which other times are generated. */
  readonly around: number
}

/** Difficult trait names: with a quote, a dot, a surrogate pair, an inherited name. */
export const ODD_NAMES = ['a"b', 'ключ.ß', '😀\n', 'constructor', '__proto__'] as const

/** A value of a trait or property. */
export function someValue(chance: Chance): Json {
  return chance.pick<Json>([
    0,
    1,
    2,
    7,
    'pro',
    'free',
    '1',
    'propane',
    true,
    false,
    [1, 'pro'],
    null,
  ])
}

/** A time from 60 hours before `around` to 6 hours after it, a whole number of hours away. */
export function someMoment(chance: Chance, around: number): number {
  return around + chance.integer(-60, 6) * HOUR_MS
}

export function someComparison(chance: Chance, around: number): Comparison {
  const number = chance.integer(0, 3)
  return chance.pick<Comparison>([
    { op: 'equals', value: chance.pick<Json>(['pro', 1, true, [1, 'pro']]) },
    { op: 'not_equals', value: chance.pick<Json>(['pro', 2]) },
    { op: '<', value: number },
    { op: '>=', value: number },
    { op: 'contains', value: chance.pick<Json>(['pro', 1]) },
    { op: 'starts_with', value: 'pr' },
    { op: 'exists' },
    { op: 'not_exists' },
    { op: 'one_of', value: [1, 'pro', true] },
    { op: 'before', value: formatTimestamp(someMoment(chance, around)) },
    { op: 'within_last_days', value: chance.integer(1, 3) },
  ])
}

function someSelection(chance: Chance, around: number): EventSelection {
  const selection = chance.pick<EventSelection>([
    { event: 'Order' },
    { event: 'Order' },
    { event: 'Signup' },
    { type: 'page' },
    { type: 'page', name: 'Home' },
    { type: 'identify' },
    { type: 'group' },
  ])
  if (!chance.is(0.3)) return selection
  return {
    ...selection,
    where: [{ property: chance.pick(['p', 'q']), ...someComparison(chance, around) }],
  }
}

function someWindow(chance: Chance, around: number): Window {
  if (chance.is(0.6)) return { within: { hours: chance.pick([1, 2, 6, 24, 72]) } }
  if (chance.is(0.5)) return {}
  const from = someMoment(chance, around)
  const to = from + chance.integer(1, 50) * HOUR_MS
  return { between: [formatTimestamp(from), formatTimestamp(to)] }
}

function someClause(chance: Chance, { others, around }: Surroundings): Condition {
  if (chance.is(0.45)) {
    const count = { op: chance.pick(COUNT_OPERATORS), n: chance.integer(0, 3) }
    const window = someWindow(chance, around)
    return { ...someSelection(chance, around), ...window, ...(chance.is(0.7) && { count }) }
  }
  const other = others.length > 0 && chance.is(0.5) ? chance.pick(others) : undefined
  if (other?.kind === 'audience') return { audience: other.id }
  if (other?.kind === 'trait')
    return { computedTrait: other.key, ...someComparison(chance, around) }
  const odd = chance.pick(ODD_NAMES).replace('.', '\\.')
  const trait = chance.pick(['plan', 'plan', 'since', 'address.city', 'none', odd])
  return { trait, ...someComparison(chance, around) }
}

/** A condition of up to three levels that refers to some of `others`. */
export function someCondition(chance: Chance, context: Surroundings, level = 1): Condition {
  if (level === 3 || chance.is(0.5)) return someClause(chance, context)
  const part = (): Condition => someCondition(chance, context, level + 1)
  const parts = (): Condition[] => Array.from({ length: chance.integer(1, 3) }, part)
  if (chance.is(0.25)) return { not: part() }
  return chance.is(0.5) ? { and: parts() } : { or: parts() }
}

export function someCompute(chance: Chance, around: number): Compute {
  const fn = chance.pick(COMPUTE_FUNCTIONS)
  const selection = chance.pick<EventSelection>([
    { event: 'Order' },
    { event: 'Order', where: [{ property: 'q', ...someComparison(chance, around) }] },
    { event: 'Signup' },
    { type: 'page' },
  ])
  return {
    fn,
    ...selection,
    ...someWindow(chance, around),
    ...(fn !== 'count' && { property: 'p' }),
  }
}

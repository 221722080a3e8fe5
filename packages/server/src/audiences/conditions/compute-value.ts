import {
  type Compute,
  COMPUTE_TABLE,
  type ComputeFunction,
  type Json,
  LIMITS,
} from '@hookline/protocol'
import type { Fact } from '../../backend/profiles.ts'
import { isInWindow, windowMs } from './window.ts'

/** The value of a computed trait. */
export interface ComputedValue {
  /** `undefined`: the user has none, and had none. */
  readonly value: Json | undefined
  /** When an event next leaves the window, in milliseconds since the epoch; `null`: never. */
  readonly recheckAt: number | null
}

/**
 * The value of a computed trait at `now`. It does not depend on the order of `facts`. Values that the function cannot use
 * are ignored. With no usable fact in the window, a user who `had` a value has an empty one: `COMPUTE_TABLE` names it.
 */
export function computeValue(
  compute: Compute,
  facts: readonly Fact[],
  now: number,
  had: boolean,
): ComputedValue {
  const window = windowMs(compute)
  const used = facts
    .filter(({ at, value }) => isInWindow(window, at, now) && isUsable(compute.fn, value))
    .toSorted((a, b) => a.at - b.at || a.position - b.position)
  const [oldest] = used
  if (oldest === undefined) {
    return { value: had ? COMPUTE_TABLE[compute.fn].whenEmpty : undefined, recheckAt: null }
  }
  const { withinMs } = window
  return {
    value: FUNCTIONS[compute.fn](used.map(({ value }) => value)),
    recheckAt: withinMs === undefined ? null : oldest.at + withinMs,
  }
}

function isUsable(fn: ComputeFunction, value: Json): boolean {
  switch (fn) {
    case 'count':
      return true
    case 'sum':
    case 'avg':
    case 'min':
    case 'max':
      return Number.isFinite(value)
    case 'first':
    case 'last':
      return value !== null
    case 'most_frequent':
    case 'unique_list':
    case 'unique_count':
      return isScalar(value)
  }
}

type Scalar = string | number | boolean

export function isScalar(value: Json): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

/** Each gets one usable value or more, that of the earliest event first. */
const FUNCTIONS: Readonly<Record<ComputeFunction, (values: readonly Json[]) => Json>> = {
  count: ({ length }) => length,
  sum: (values) => finite(sum(values as number[])),
  avg: (values) => finite(sum(values as number[]) / values.length),
  min: (values) => (values as number[]).reduce((least, each) => Math.min(least, each)),
  max: (values) => (values as number[]).reduce((most, each) => Math.max(most, each)),
  first: ([first]) => first!,
  last: (values) => values.at(-1)!,
  most_frequent: (values) => mostFrequent(values as Scalar[]),
  unique_list: (values) =>
    [...new Set(values as Scalar[])].toSorted(inOrder).slice(0, LIMITS.uniqueListValues),
  unique_count: (values) => new Set(values).size,
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0)
}

/** JSON has no infinity. */
function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null
}

function mostFrequent(values: readonly Scalar[]): Scalar {
  const counts = new Map<Scalar, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [[most]] = [...counts].toSorted(([a, m], [b, n]) => n - m || inOrder(a, b)) as [
    [Scalar, number],
  ]
  return most
}

const TYPE_ORDER = ['boolean', 'number', 'string']

/** false, true, then numbers by size, then texts by their UTF-16 code units. */
function inOrder(a: Scalar, b: Scalar): number {
  const byType = TYPE_ORDER.indexOf(typeof a) - TYPE_ORDER.indexOf(typeof b)
  if (byType !== 0 || a === b) return byType
  return a < b ? -1 : 1
}

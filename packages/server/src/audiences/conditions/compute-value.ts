import {
  type Compute,
  COMPUTE_TABLE,
  type ComputeFunction,
  type Json,
  LIMITS,
} from '@hookline/protocol'
import type { Fact } from '../../backend/profiles.ts'
import { isInWindow, windowMs } from './window.ts'

export interface ComputedValue {
  /** `undefined`: the user has never had a value. */
  readonly value: Json | undefined
  /** When the next event leaves the window, in milliseconds since the epoch; `null`: never. */
  readonly recheckAt: number | null
}

/** The value at `now`. Without usable facts, a user who `had` a value gets `whenEmpty` from `COMPUTE_TABLE`. */
export function computeValue(
  compute: Compute,
  facts: readonly Fact[],
  now: number,
  had: boolean,
): ComputedValue {
  const window = windowMs(compute)
  const [isUsable, valueOf] = FUNCTIONS[compute.fn]
  const used = facts
    .filter(({ at, value }) => isInWindow(window, at, now) && isUsable(value))
    .toSorted((a, b) => a.at - b.at || a.position - b.position)
  const [oldest] = used
  if (oldest === undefined) {
    return { value: had ? COMPUTE_TABLE[compute.fn].whenEmpty : undefined, recheckAt: null }
  }
  const { withinMs } = window
  return {
    value: valueOf(used.map(({ value }) => value)),
    recheckAt: withinMs === undefined ? null : oldest.at + withinMs,
  }
}

type Scalar = string | number | boolean

export function isScalar(value: Json): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

const isAny = (): boolean => true
const isPresent = (value: Json): boolean => value !== null

/** Which values are usable, and the result of one or more of them, earliest first. */
const FUNCTIONS: Readonly<
  Record<
    ComputeFunction,
    readonly [isUsable: (value: Json) => boolean, valueOf: (values: readonly Json[]) => Json]
  >
> = {
  count: [isAny, ({ length }) => length],
  sum: [Number.isFinite, (values) => finite(sum(values as number[]))],
  avg: [Number.isFinite, (values) => finite(sum(values as number[]) / values.length)],
  min: [Number.isFinite, (values) => (values as number[]).reduce((a, b) => Math.min(a, b))],
  max: [Number.isFinite, (values) => (values as number[]).reduce((a, b) => Math.max(a, b))],
  first: [isPresent, ([first]) => first!],
  last: [isPresent, (values) => values.at(-1)!],
  most_frequent: [isScalar, (values) => mostFrequent(values as Scalar[])],
  unique_list: [
    isScalar,
    (values) =>
      [...new Set(values as Scalar[])].toSorted(inOrder).slice(0, LIMITS.uniqueListValues),
  ],
  unique_count: [isScalar, (values) => new Set(values).size],
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

/** Booleans, then numbers, then strings by UTF-16 code units. */
function inOrder(a: Scalar, b: Scalar): number {
  const byType = TYPE_ORDER.indexOf(typeof a) - TYPE_ORDER.indexOf(typeof b)
  if (byType !== 0 || a === b) return byType
  return a < b ? -1 : 1
}

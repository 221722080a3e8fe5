import type { Comparison, Operator } from './condition.ts'
import { equalJson, type Json } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { parseTimestamp } from '../timestamp.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Descriptions of the values that operators compare with. */
export const VALUE_KINDS = {
  none: 'no value',
  any: `a string, number or boolean, or a list or object of at most ${formatCount(LIMITS.conditionValueCharacters)} characters of JSON`,
  scalar: 'a string, number or boolean',
  number: 'a number',
  text: 'a string',
  list: `a list of 1 to ${LIMITS.oneOfValues} strings, numbers or booleans`,
  date: 'a date',
  days: `a whole number from 1 to ${formatCount(LIMITS.windowDays)}`,
} as const

export type ValueKind = keyof typeof VALUE_KINDS

/** An operator, as described in docs/reference/audience-operators.md. */
export interface OperatorInfo {
  /** The kind of `value` that a comparison with this operator requires. */
  readonly takes: ValueKind
  /** When it holds. */
  readonly meaning: string
  /** The values that it applies to. All others are mistyped. */
  readonly appliesTo: string
  /** Whether it holds for a missing value. `null` counts as missing. */
  readonly onMissing: boolean
  /** Whether it holds for a mistyped value. */
  readonly onMistyped: boolean
  /** Whether it holds for a value that is present; `undefined` if the value is mistyped. */
  readonly test: (actual: Json, value: Json | undefined, now: number) => boolean | undefined
}

/** All operators. Both `comparisonHolds` and the reference page use this table. */
export const OPERATOR_TABLE: Readonly<Record<Operator, OperatorInfo>> = {
  equals: {
    takes: 'any',
    meaning: 'The value is equal to the given value. The order of object fields does not matter.',
    appliesTo: 'values of the same type',
    onMissing: false,
    onMistyped: false,
    test: (actual, value) => equalJson(actual, value),
  },
  not_equals: {
    takes: 'any',
    meaning: 'The opposite of equals.',
    appliesTo: 'values of the same type',
    onMissing: true,
    onMistyped: true,
    test: (actual, value) => !equalJson(actual, value),
  },
  '<': numeric('The number is less than the given one.', (actual, value) => actual < value),
  '<=': numeric('The number is at most the given one.', (actual, value) => actual <= value),
  '>': numeric('The number is greater than the given one.', (actual, value) => actual > value),
  '>=': numeric('The number is at least the given one.', (actual, value) => actual >= value),
  contains: {
    takes: 'scalar',
    meaning: 'The string contains the given string, or the list contains the given element.',
    appliesTo: 'lists, and strings if compared with a string',
    onMissing: false,
    onMistyped: false,
    test: contains,
  },
  not_contains: {
    takes: 'scalar',
    meaning: 'The opposite of contains.',
    appliesTo: 'lists, and strings if compared with a string',
    onMissing: true,
    onMistyped: true,
    test: (actual, value) => {
      const found = contains(actual, value)
      return found === undefined ? undefined : !found
    },
  },
  starts_with: textual('The string starts with the given string.', (actual, value) =>
    actual.startsWith(value),
  ),
  ends_with: textual('The string ends with the given string.', (actual, value) =>
    actual.endsWith(value),
  ),
  exists: {
    takes: 'none',
    meaning: 'The value is present and not null.',
    appliesTo: 'any value',
    onMissing: false,
    onMistyped: true,
    test: () => true,
  },
  not_exists: {
    takes: 'none',
    meaning: 'The value is missing or null.',
    appliesTo: 'any value',
    onMissing: true,
    onMistyped: false,
    test: () => false,
  },
  one_of: {
    takes: 'list',
    meaning: 'The value is in the given list.',
    appliesTo: 'values of the types in the list',
    onMissing: false,
    onMistyped: false,
    test: (actual, value) => Array.isArray(value) && hasElement(value, actual),
  },
  before: dateOperator('date', 'The date is before the given date.', isEarlier),
  after: dateOperator('date', 'The date is after the given date.', (actual, value) =>
    isEarlier(value, actual),
  ),
  within_last_days: dateOperator(
    'days',
    "The date is in the past, less than the given number of days (24 hours each) ago. In an event filter, this is relative to the event's timestamp.",
    isWithinLastDays,
  ),
}

/**
 * Whether the comparison holds for `actual`, which is `undefined` if it is missing. `now` is in milliseconds since the
 * epoch; only `within_last_days` depends on it. If the operator does not support `value`, `actual` counts as mistyped.
 */
export function comparisonHolds(
  { op, value }: Comparison,
  actual: Json | undefined,
  now: number,
): boolean {
  const operator = OPERATOR_TABLE[op]
  if (actual === undefined || actual === null) return operator.onMissing
  return operator.test(actual, value, now) ?? operator.onMistyped
}

/** When the passage of time next changes the result of `comparisonHolds`, in milliseconds since the epoch; `null` for never. */
export function nextChangeOf(
  { op, value }: Comparison,
  actual: Json | undefined,
  now: number,
): number | null {
  if (op !== 'within_last_days' || typeof value !== 'number') return null
  const at = parseTimestamp(actual)
  if (at === undefined) return null
  if (at > now) return at
  const end = at + value * DAY_MS
  return end > now ? end : null
}

function numeric(meaning: string, test: (actual: number, value: number) => boolean): OperatorInfo {
  return {
    takes: 'number',
    meaning,
    appliesTo: 'numbers',
    onMissing: false,
    onMistyped: false,
    test: (actual, value) =>
      typeof actual === 'number' && typeof value === 'number' ? test(actual, value) : undefined,
  }
}

function textual(meaning: string, test: (actual: string, value: string) => boolean): OperatorInfo {
  return {
    takes: 'text',
    meaning,
    appliesTo: 'strings',
    onMissing: false,
    onMistyped: false,
    test: (actual, value) =>
      typeof actual === 'string' && typeof value === 'string' ? test(actual, value) : undefined,
  }
}

function dateOperator(takes: ValueKind, meaning: string, test: OperatorInfo['test']): OperatorInfo {
  return { takes, meaning, appliesTo: 'dates', onMissing: false, onMistyped: false, test }
}

function contains(actual: Json, value: Json | undefined): boolean | undefined {
  if (Array.isArray(actual)) return hasElement(actual, value)
  return typeof actual === 'string' && typeof value === 'string'
    ? actual.includes(value)
    : undefined
}

function hasElement(list: readonly Json[], value: Json | undefined): boolean {
  for (const each of list) if (equalJson(each, value)) return true
  return false
}

function isEarlier(first: Json | undefined, second: Json | undefined): boolean | undefined {
  const at = parseTimestamp(first)
  const other = parseTimestamp(second)
  return at === undefined || other === undefined ? undefined : at < other
}

function isWithinLastDays(actual: Json, days: Json | undefined, now: number): boolean | undefined {
  const at = parseTimestamp(actual)
  if (at === undefined || typeof days !== 'number') return undefined
  return at > now - days * DAY_MS && at <= now
}

function formatCount(number: number): string {
  return number.toLocaleString('en')
}

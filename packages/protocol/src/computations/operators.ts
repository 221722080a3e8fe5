import type { Comparison, Operator } from './condition.ts'
import { equalJson, type Json } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { parseTimestamp } from '../timestamp.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** What an operator compares with, by kind. */
export const VALUE_KINDS = {
  none: 'no value',
  any: `a text, a number, true, false, or a list or an object of at most ${grouped(LIMITS.conditionValueCharacters)} characters`,
  scalar: 'a text, a number, true or false',
  number: 'a number',
  text: 'a text',
  list: `a list of 1 to ${LIMITS.oneOfValues} values, each a text, a number, true or false`,
  date: 'a date',
  days: `a whole number from 1 to ${grouped(LIMITS.windowDays)}`,
} as const

export type ValueKind = keyof typeof VALUE_KINDS

/** An operator, as the page docs/reference/audience-operators.md describes it. */
export interface OperatorInfo {
  /** What a comparison with this operator must have as its `value`. */
  readonly takes: ValueKind
  /** When it holds. */
  readonly meaning: string
  /** The values that it can look at. Every other one is mistyped. */
  readonly looksAt: string
  /** Whether it holds for a missing value. `null` is missing, too. */
  readonly onMissing: boolean
  /** Whether it holds for a mistyped value. */
  readonly onMistyped: boolean
  /** Whether it holds for a value that is there; `undefined`: the value is mistyped. */
  readonly test: (actual: Json, value: Json | undefined, now: number) => boolean | undefined
}

/** All operators. `holds` and the page of operators are made from this table. */
export const OPERATOR_TABLE: Readonly<Record<Operator, OperatorInfo>> = {
  equals: {
    takes: 'any',
    meaning: 'The value is the same. Objects are the same whatever the order of their fields.',
    looksAt: 'values of the same type',
    onMissing: false,
    onMistyped: false,
    test: (actual, value) => equalJson(actual, value),
  },
  not_equals: {
    takes: 'any',
    meaning: 'The opposite of equals.',
    looksAt: 'values of the same type',
    onMissing: true,
    onMistyped: true,
    test: (actual, value) => !equalJson(actual, value),
  },
  '<': numeric('The number is less.', (actual, value) => actual < value),
  '<=': numeric('The number is less or the same.', (actual, value) => actual <= value),
  '>': numeric('The number is greater.', (actual, value) => actual > value),
  '>=': numeric('The number is greater or the same.', (actual, value) => actual >= value),
  contains: {
    takes: 'scalar',
    meaning: 'The text has this text in it, or the list has this element.',
    looksAt: 'texts, if compared with a text; lists',
    onMissing: false,
    onMistyped: false,
    test: contains,
  },
  not_contains: {
    takes: 'scalar',
    meaning: 'The opposite of contains.',
    looksAt: 'texts, if compared with a text; lists',
    onMissing: true,
    onMistyped: true,
    test: (actual, value) => {
      const found = contains(actual, value)
      return found === undefined ? undefined : !found
    },
  },
  starts_with: textual('The text begins with this text.', (actual, value) =>
    actual.startsWith(value),
  ),
  ends_with: textual('The text ends with this text.', (actual, value) => actual.endsWith(value)),
  exists: {
    takes: 'none',
    meaning: 'There is a value.',
    looksAt: 'every value',
    onMissing: false,
    onMistyped: true,
    test: () => true,
  },
  not_exists: {
    takes: 'none',
    meaning: 'There is no value: the opposite of exists.',
    looksAt: 'every value',
    onMissing: true,
    onMistyped: false,
    test: () => false,
  },
  one_of: {
    takes: 'list',
    meaning: 'The value equals one of the list.',
    looksAt: 'values of the types in the list',
    onMissing: false,
    onMistyped: false,
    test: (actual, value) => Array.isArray(value) && hasElement(value, actual),
  },
  before: dated('date', 'The date is earlier.', (actual, value) => isEarlier(actual, value)),
  after: dated('date', 'The date is later.', (actual, value) => isEarlier(value, actual)),
  within_last_days: dated(
    'days',
    'The date is in the past, less than so many times 24 hours ago. In a filter of an event: before the timestamp of the event.',
    isWithinLastDays,
  ),
}

/**
 * Whether the comparison holds for `actual`, which is `undefined` if it is missing. `now` is in milliseconds since the
 * epoch; only `within_last_days` depends on it. Total: a value that the operator does not take is mistyped.
 */
export function holds({ op, value }: Comparison, actual: Json | undefined, now: number): boolean {
  const operator = OPERATOR_TABLE[op]
  if (actual === undefined || actual === null) return operator.onMissing
  return operator.test(actual, value, now) ?? operator.onMistyped
}

/** When `holds` next changes by time alone, in milliseconds since the epoch; `null`: never. */
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
    looksAt: 'numbers',
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
    looksAt: 'texts',
    onMissing: false,
    onMistyped: false,
    test: (actual, value) =>
      typeof actual === 'string' && typeof value === 'string' ? test(actual, value) : undefined,
  }
}

function dated(takes: ValueKind, meaning: string, test: OperatorInfo['test']): OperatorInfo {
  return { takes, meaning, looksAt: 'dates', onMissing: false, onMistyped: false, test }
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

function grouped(number: number): string {
  return number.toLocaleString('en')
}

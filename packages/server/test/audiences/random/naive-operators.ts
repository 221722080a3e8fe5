import type { Comparison, Json, Operator } from '@hookline/protocol'

const DAY_MS = 24 * 60 * 60 * 1000

/** Whether a comparison holds, written independently of the product's operators. `undefined` and `null` count as missing values. */
export function naivelyHolds(
  { op, value }: Comparison,
  actual: Json | undefined,
  now: number,
): boolean {
  const test = TESTS[op]
  if (test === undefined) throw new Error(`Unsupported operator in the reference: ${op}`)
  return test(actual ?? undefined, value!, now)
}

type Test = (actual: Json | undefined, value: Json, now: number) => boolean

const TESTS: Readonly<Partial<Record<Operator, Test>>> = {
  equals: (actual, value) => actual !== undefined && text(actual) === text(value),
  not_equals: (actual, value) => actual === undefined || text(actual) !== text(value),
  '<': (actual, value) => typeof actual === 'number' && actual < Number(value),
  '>=': (actual, value) => typeof actual === 'number' && actual >= Number(value),
  contains: (actual, value) =>
    (typeof actual === 'string' && typeof value === 'string' && actual.includes(value)) ||
    (Array.isArray(actual) && actual.some((each) => text(each) === text(value))),
  starts_with: (actual, value) => typeof actual === 'string' && actual.startsWith(value as string),
  exists: (actual) => actual !== undefined,
  not_exists: (actual) => actual === undefined,
  one_of: (actual, value) => (value as Json[]).some((each) => text(each) === text(actual ?? null)),
  before: (actual, value) => dateOf(actual) < dateOf(value),
  within_last_days: (actual, value, now) =>
    dateOf(actual) > now - Number(value) * DAY_MS && dateOf(actual) <= now,
}

function text(value: Json): string {
  return JSON.stringify(value)
}

/** NaN for a value that is not a date, so that no comparison holds. */
function dateOf(value: Json | undefined): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d{4}-/.test(value) ? Date.parse(value) : Number.NaN
}

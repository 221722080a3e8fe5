import type {
  Comparison,
  Compute,
  ComputeFunction,
  Condition,
  CountOperator,
  EventSelection,
  Json,
  Operator,
  Window,
} from '@hookline/protocol'

/** An event from the user, in its simplest form. */
export interface NaiveEvent {
  /** Such as `track Order` or `page Home`. */
  readonly what: string
  readonly at: number
  readonly properties: Readonly<Record<string, Json>>
}

/** Everything that a condition can depend on. */
export interface NaiveUser {
  readonly traits: Readonly<Record<string, Json>>
  readonly events: readonly NaiveEvent[]
  readonly computed: Readonly<Record<string, Json>>
  readonly audiences: readonly string[]
}

const HOUR = 60 * 60 * 1000

/**
 * Evaluates a condition from the events alone, as a reference. Supports only what random conditions contain: hours, numeric
 * dates, and some operators.
 */
export function naiveVerdict(condition: Condition, user: NaiveUser, now: number): boolean {
  if ('and' in condition) return condition.and.every((each) => naiveVerdict(each, user, now))
  if ('or' in condition) return condition.or.some((each) => naiveVerdict(each, user, now))
  if ('not' in condition) return !naiveVerdict(condition.not, user, now)
  if ('audience' in condition) return user.audiences.includes(condition.audience)
  if ('trait' in condition) return compares(condition, user.traits[condition.trait], now)
  if ('computedTrait' in condition) {
    return compares(condition, user.computed[condition.computedTrait], now)
  }
  const { op, n } = condition.count ?? { op: '>=', n: 1 }
  return COUNTS[op](user.events.filter((event) => isMeant(condition, event, now)).length, n)
}

const COUNTS: Readonly<Record<CountOperator, (count: number, n: number) => boolean>> = {
  '==': (count, n) => count === n,
  '!=': (count, n) => count !== n,
  '<': (count, n) => count < n,
  '<=': (count, n) => count <= n,
  '>': (count, n) => count > n,
  '>=': (count, n) => count >= n,
}

/** The value of a computed trait for a user who once had a value. `events` are ordered by time. */
export function naiveValue(compute: Compute, events: readonly NaiveEvent[], now: number): Json {
  const meant = events.filter((event) => isMeant(compute, event, now))
  if (compute.fn === 'count') return meant.length
  const values = meant.map(({ properties }) => properties[compute.property!])
  return VALUES[compute.fn](values.filter((value) => value !== undefined)) ?? null
}

const VALUES: Readonly<
  Record<Exclude<ComputeFunction, 'count'>, (values: readonly Json[]) => Json | undefined>
> = {
  sum: (values) => total(numbersOf(values)),
  avg: (values) => {
    const numbers = numbersOf(values)
    return numbers.length > 0 ? total(numbers) / numbers.length : null
  },
  min: (values) => numbersOf(values).toSorted((a, b) => a - b)[0],
  max: (values) => numbersOf(values).toSorted((a, b) => b - a)[0],
  first: (values) => values[0],
  last: (values) => values.at(-1),
  unique_count: (values) => new Set(values).size,
  unique_list: different,
  most_frequent: (values) => {
    const times = (value: Json) => values.filter((each) => each === value).length
    const max = Math.max(...values.map(times))
    return different(values).find((value) => times(value) === max)
  },
}

function numbersOf(values: readonly Json[]): number[] {
  return values.filter((value) => typeof value === 'number')
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}

/** Numbers before strings. */
function different(values: readonly Json[]): Json[] {
  const each = [...new Set(values)]
  return [
    ...numbersOf(each).toSorted((a, b) => a - b),
    ...each.filter((value) => typeof value === 'string').toSorted(),
  ]
}

function isMeant(wanted: EventSelection & Window, event: NaiveEvent, now: number): boolean {
  const what = wanted.type ? `${wanted.type} ${wanted.name ?? ''}` : `track ${wanted.event}`
  if (!event.what.startsWith(what)) return false
  if (wanted.within && event.at <= now - wanted.within.hours! * HOUR) return false
  if (wanted.between && event.at < Date.parse(wanted.between[0])) return false
  if (wanted.between && event.at >= Date.parse(wanted.between[1])) return false
  return (wanted.where ?? []).every((filter) =>
    compares(filter, event.properties[filter.property], event.at),
  )
}

function compares({ op, value }: Comparison, actual: Json | undefined, now: number): boolean {
  const test = COMPARISONS[op]
  if (test === undefined) throw new Error(`Unsupported operator in the reference: ${op}`)
  return test(actual, value, now)
}

type Test = (actual: Json | undefined, value: Json | undefined, now: number) => boolean

const COMPARISONS: Readonly<Partial<Record<Operator, Test>>> = {
  equals: (actual, value) => actual === value,
  not_equals: (actual, value) => actual !== value,
  '>': (actual, value) => typeof actual === 'number' && actual > Number(value),
  '<=': (actual, value) => typeof actual === 'number' && actual <= Number(value),
  exists: (actual) => actual !== undefined,
  not_exists: (actual) => actual === undefined,
  one_of: (actual, value) => (value as Json[]).some((each) => each === actual),
  within_last_days: (actual, value, now) =>
    typeof actual === 'number' && actual <= now && actual > now - Number(value) * 24 * HOUR,
}

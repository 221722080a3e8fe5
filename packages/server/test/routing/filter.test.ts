import {
  type AcceptedEvent,
  type Event,
  EVENT_TYPES,
  type Filter,
  type FilterClause,
  type Json,
  type JsonObject,
  type ValueComparison,
} from '@hookline/protocol'
import { describe, expect, it, test } from 'vitest'
import { SEED } from '@hookline/testing/run/seed'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { isInSample, passesFilter, whyExcluded } from '../../src/routing/filter.ts'
import { Chance } from '../audiences/random/chance.ts'
import { naivelyHolds } from '../audiences/random/naive-operators.ts'
import { someComparison, someValue } from '../audiences/random/random-computations.ts'
import { someEvent } from '../audiences/random/random-events.ts'

const order = acceptedEvent({ context: { page: { path: '/internal/a' }, traits: { plan: 'pro' } } })
const page = call('page', { name: 'Pricing', properties: { path: '/' } })
const user = call('identify', { traits: { plan: 'team' } })

function call(type: Event['type'], fields: Partial<Event>): AcceptedEvent {
  const none = { event: undefined as never, properties: undefined as never }
  return acceptedEvent({ ...none, type, ...fields })
}

describe('a filter', () => {
  test.for<[string, Filter, AcceptedEvent, boolean]>([
    ['passes its type', { type: 'page' }, page, true],
    ['excludes other types', { type: 'page' }, order, false],
    ['passes the event with its name', { event: 'Order Completed' }, order, true],
    ['is case-sensitive for names', { event: 'order completed' }, order, false],
    ['passes names with its prefix', { event: 'Order *' }, order, true],
    ['passes every name with `*`', { event: '*' }, order, true],
    ['excludes calls without an event name', { event: '*' }, page, false],
    ['passes one of several names', { event: ['Signed Up', 'Order *'] }, order, true],
    ['excludes names outside a list', { event: ['Signed Up'] }, order, false],
    ['compares properties', revenue('>=', 39.95), order, true],
    ['excludes other values of properties', revenue('>=', 40), order, false],
    ['compares traits of identify calls', plan('team'), user, true],
    ['compares traits in the context of other calls', plan('pro'), order, true],
    ['compares the context', path('/internal'), order, true],
    ['compares ids', where({ field: 'userId', op: 'equals', value: 'u1' }), order, true],
    [
      'compares names of pages',
      where({ field: 'name', op: 'starts_with', value: 'Pri' }),
      page,
      true,
    ],
    ['treats missing values as the operator does', revenue('not_exists'), page, true],
    ['requires all parts of an `and`', { and: [{ event: 'Order *' }, plan('team')] }, order, false],
    ['requires one part of an `or`', { or: [{ event: 'Order *' }, plan('team')] }, order, true],
    ['negates the condition in a `not`', { not: path('/internal') }, order, false],
    ['requires all fields of a clause', { type: 'track', ...plan('team') }, order, false],
  ])('%s', ([, filter, event, expected]) => {
    expect(passesFilter(filter, event)).toBe(expected)
  })

  it('passes changes in audiences, unless it names their type', () => {
    const origin = { computationId: 'aud_1', destinationIds: [] }
    const change = call('identify', { traits: { vip: true } })
    const computed = { ...change, event: change.event, origin } as AcceptedEvent
    expect(passesFilter({ event: 'Order *' }, computed)).toBe(true)
    expect(passesFilter({ not: { type: 'identify' } }, computed)).toBe(false)
  })
})

describe('the explanation of a filter', () => {
  test.for<[Filter, readonly string[]]>([
    [{ type: 'page' }, ['/type: the type is track']],
    [{ event: 'Refund' }, ['/event: the name is "Order Completed"']],
    [
      { or: [revenue('>=', 100), { not: { type: 'track' } }] },
      ['/or/0/where/0: revenue is 39.95; required: >= 100', '/or/1/not: the condition matches'],
    ],
    [
      { and: [{ type: 'track' }, revenue('not_exists')] },
      ['/and/1/where/0: revenue is 39.95; required: not_exists'],
    ],
    [plan('x'.repeat(200)), [`/where/0: plan is "pro"; required: equals "${'x'.repeat(99)}…`]],
    [{ type: 'track' }, []],
  ])('of %j names the clauses and values', ([filter, reasons]) => {
    expect(whyExcluded(filter, order)).toEqual(reasons)
  })
})

describe('a sample', () => {
  const users = Array.from({ length: 10_000 }, (_, n) => acceptedEvent({ userId: `user-${n}` }))
  const chosen = (rate: number, id = 'dst_a') =>
    users.filter((event) => isInSample({ rate, by: 'userId' }, id, event))

  it('has about the requested share of the users', () => {
    expect(chosen(0)).toEqual([])
    expect(chosen(1)).toHaveLength(users.length)
    expect(chosen(0.1).length).toBeGreaterThan(850)
    expect(chosen(0.1).length).toBeLessThan(1_150)
  })

  it('keeps all of its users when its rate increases', () => {
    const more = new Set(chosen(0.3))
    expect(chosen(0.1).filter((event) => !more.has(event))).toEqual([])
  })

  it('has mostly other users at another destination', () => {
    const others = new Set(chosen(0.1, 'dst_b'))
    expect(chosen(0.1).filter((event) => others.has(event)).length).toBeLessThan(200)
  })

  it("includes either all or none of a user's events", () => {
    const again = acceptedEvent({ userId: 'user-7', event: 'Another' })
    const isIn = (event: AcceptedEvent) => isInSample({ rate: 0.5, by: 'userId' }, 'dst_a', event)
    expect(isIn(again)).toBe(isIn(users[7]!))
  })
})

const CASES = 10_000 * Number(process.env['HOOKLINE_TEST_CASES'] ?? 1)

it(`agrees with a naive evaluation of ${CASES} random filters and events`, () => {
  const chance = new Chance(SEED)
  const now = order.receivedAt
  const passed = { true: 0, false: 0 }
  for (let n = 0; n < CASES; n++) {
    const filter = someFilter(chance, now)
    const event = someEvent(chance, { sourceId: 'src_a', now, hour: now, visitors: 1 })
    const passes = passesFilter(filter, event)
    const described = JSON.stringify({ seed: SEED, n, filter, event: event.event })
    expect(passes, described).toBe(naivelyPasses(filter, event.event))
    expect(whyExcluded(filter, event).length === 0, described).toBe(passes)
    passed[`${passes}`]++
  }
  expect(Math.min(passed.true, passed.false)).toBeGreaterThan(CASES / 10)
})

function someFilter(chance: Chance, now: number, level = 1): Filter {
  if (level === 4 || chance.is(0.4)) return someClause(chance, now)
  const some = () =>
    Array.from({ length: chance.integer(1, 3) }, () => someFilter(chance, now, level + 1))
  return chance.pick<() => Filter>([
    () => ({ and: some() }),
    () => ({ or: some() }),
    () => ({ not: someFilter(chance, now, level + 1) }),
  ])()
}

function someClause(chance: Chance, now: number): Filter {
  const name = chance.pick([
    { event: chance.pick(['Order', 'Ord*', '*', 'Signup', 'S', ['Order', 'X'], ['Sign*', 'Y']]) },
    { type: chance.pick(EVENT_TYPES) },
  ])
  const compared = (): ValueComparison => ({
    ...chance.pick([
      { property: chance.pick(['p', 'q', 'none']) },
      { trait: chance.pick(['plan', 'since', 'address.city', 'constructor']) },
      { context: 'ip' },
      { field: chance.pick(['userId', 'anonymousId', 'groupId', 'name', 'category'] as const) },
    ]),
    ...(chance.is(0.8)
      ? someComparison(chance, now)
      : { op: 'equals', value: someValue(chance) ?? 'u1' }),
  })
  const comparisons = Array.from({ length: chance.integer(0, 2) }, compared)
  return chance.is(0.7)
    ? { ...name, ...(chance.is(0.5) && where(...comparisons)) }
    : where(...comparisons)
}

function naivelyPasses(filter: Filter, event: Event): boolean {
  if ('and' in filter) return !filter.and.some((each) => !naivelyPasses(each, event))
  if ('or' in filter) return filter.or.some((each) => naivelyPasses(each, event))
  if ('not' in filter) return !naivelyPasses(filter.not, event)
  return (
    (filter.type === undefined || filter.type === event.type) &&
    isNaivelyNamed(filter.event, event) &&
    (filter.where ?? []).every((each) =>
      naivelyHolds(each, valueIn(each, event), Date.parse(event.timestamp)),
    )
  )
}

function isNaivelyNamed(names: FilterClause['event'], { type, event: name = '' }: Event): boolean {
  if (names === undefined) return true
  const patterns = [names].flat().map((each) => new RegExp(`^${each.replace('*', '.*')}$`, 's'))
  return type === 'track' && patterns.some((pattern) => pattern.test(name))
}

function valueIn(compared: ValueComparison, event: Event): Json | undefined {
  const whole = JSON.parse(JSON.stringify(event)) as JsonObject
  if ('field' in compared) return whole[compared.field]
  const [root, steps] =
    'property' in compared
      ? [whole['properties'], compared.property]
      : 'context' in compared
        ? [whole['context'], compared.context]
        : [whole['traits'] ?? (whole['context'] as JsonObject)['traits'], compared.trait]
  let value = root
  for (const step of steps.split('.')) {
    const entries = Object.entries((value ?? {}) as JsonObject)
    value = Array.isArray(value) ? undefined : entries.find(([key]) => key === step)?.[1]
  }
  return value
}

function where(...comparisons: ValueComparison[]): { readonly where: readonly ValueComparison[] } {
  return { where: comparisons }
}

function revenue(op: ValueComparison['op'], value?: number) {
  return where({ property: 'revenue', op, ...(value !== undefined && { value }) })
}

function plan(value: string) {
  return where({ trait: 'plan', op: 'equals', value })
}

function path(value: string) {
  return where({ context: 'page.path', op: 'starts_with', value })
}

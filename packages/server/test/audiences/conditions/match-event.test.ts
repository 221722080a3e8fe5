import type { EventSelection, Event, Window } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { definitionOf } from '../../../src/audiences/conditions/clauses.ts'
import { EventMatcher } from '../../../src/audiences/conditions/match-event.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'

type Source = EventSelection & Window & { readonly property?: string }

/** The values of the facts of an event, for one clause. */
function factsOf(source: Source, change: Partial<Event>, at = NOON): unknown[] {
  const matcher = new EventMatcher([{ number: 7, definition: definitionOf(source) }])
  const facts = matcher.factsOf(acceptedEvent({ event: 'Order', ...change }), at)
  expect(facts.every(({ clause }) => clause === 7)).toBe(true)
  return facts.map(({ value }) => value)
}

describe('an event matches', () => {
  test.for<[what: string, Source, Partial<Event>]>([
    ['a clause that names it', { event: 'Order' }, {}],
    ['a clause of its type', { type: 'page' }, { type: 'page', name: 'Pricing' }],
    ['a clause of its name', { type: 'screen', name: 'Home' }, { type: 'screen', name: 'Home' }],
    [
      'a clause whose filters match',
      {
        event: 'Order',
        where: [
          { property: 'a.b', op: '>', value: 1 },
          { property: 'c', op: 'not_exists' },
        ],
      },
      { properties: { a: { b: 2 } } },
    ],
    [
      'a filter on a trait',
      { type: 'identify', where: [{ property: 'plan', op: 'equals', value: 'pro' }] },
      { type: 'identify', traits: { plan: 'pro' }, properties: { plan: 'free' } },
    ],
    [
      'a filter on a missing property',
      { type: 'alias', where: [{ property: 'x', op: 'not_exists' }] },
      { type: 'alias' },
    ],
  ])('%s', ([_what, source, change]) => {
    expect(factsOf(source, change)).toEqual([null])
  })
})

describe('an event does not match', () => {
  test.for<[what: string, Source, Partial<Event>]>([
    ['a clause for another event', { event: 'order' }, {}],
    ['a clause for another type', { type: 'page' }, { type: 'screen' }],
    [
      'a clause for another name',
      { type: 'page', name: 'Home' },
      { type: 'page', name: 'Pricing' },
    ],
    [
      'a clause with a name, if the event has none',
      { type: 'page', name: 'Home' },
      { type: 'page' },
    ],
    [
      'a clause for a track event, if a page call has its name',
      { event: 'Home' },
      { type: 'page', name: 'Home', event: 'Home' },
    ],
    [
      'a clause with a filter that fails',
      {
        event: 'Order',
        where: [
          { property: 'a', op: 'exists' },
          { property: 'b', op: 'exists' },
        ],
      },
      { properties: { a: 1 } },
    ],
    [
      'a filter on an inherited property',
      { event: 'Order', where: [{ property: 'constructor', op: 'exists' }] },
      {},
    ],
  ])('%s', ([_what, source, change]) => {
    expect(factsOf(source, change)).toEqual([])
  })
})

describe('the value of a fact', () => {
  test.for<[what: string, value: Event['properties'], expected: unknown[]]>([
    ['is the value of the property', { a: { b: 'x' } }, ['x']],
    ['may be false', { a: { b: false } }, [false]],
    ['may be a list', { a: { b: [1, 2] } }, [[1, 2]]],
    ['may have 500 characters', { a: { b: 'x'.repeat(500) } }, ['x'.repeat(500)]],
    ['cannot be missing', { a: {} }, []],
    ['cannot be null', { a: { b: null } }, []],
    ['cannot have 501 characters', { a: { b: 'x'.repeat(501) } }, []],
    ['cannot be an object of more than 500 characters', { a: { b: { c: 'x'.repeat(495) } } }, []],
  ])('%s', ([_what, properties, expected]) => {
    expect(factsOf({ event: 'Order', property: 'a.b' }, { properties: properties! })).toEqual(
      expected,
    )
  })
})

test('a fixed window includes its start, but not its end', () => {
  const source: Source = { event: 'Order', between: ['2026-01-01', '2026-02-01'] }
  const [from, to] = [Date.UTC(2026, 0), Date.UTC(2026, 1)]
  const counted = [from - 1, from, to - 1, to].map((at) => factsOf(source, {}, at).length)
  expect(counted).toEqual([0, 1, 1, 0])
})

test('within_last_days in a filter counts back from the event, not from now', () => {
  const source: Source = {
    event: 'Order',
    where: [{ property: 'since', op: 'within_last_days', value: 7 }],
  }
  const properties = { since: '2019-05-30' }
  const counted = ['2019-05-29', '2019-05-30', '2019-06-05', '2019-06-06', '2026-01-01'].map(
    (day) => factsOf(source, { properties }, Date.parse(day)).length,
  )
  expect(counted).toEqual([0, 1, 1, 0, 0])
})

test('an event becomes a fact of each clause that it matches', () => {
  const sources: Source[] = [
    { event: 'Order' },
    { event: 'Order', property: 'revenue' },
    { event: 'Signup' },
    { type: 'page' },
    { event: 'Order', where: [{ property: 'revenue', op: '>', value: 100 }] },
  ]
  const matcher = new EventMatcher(
    sources.map((source, number) => ({ number, definition: definitionOf(source) })),
  )
  const facts = matcher.factsOf(acceptedEvent({ event: 'Order', properties: { revenue: 9 } }), NOON)
  expect(facts).toEqual([
    { clause: 0, value: null },
    { clause: 1, value: 9 },
  ])
})

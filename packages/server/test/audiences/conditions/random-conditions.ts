import {
  type Comparison,
  type Compute,
  COMPUTE_FUNCTIONS,
  type Condition,
  COUNT_OPERATORS,
  type EventClause,
  type EventSelection,
  formatTimestamp,
  type Json,
  type PropertyFilter,
  type Window,
} from '@hookline/protocol'
import fc from 'fast-check'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { NaiveEvent, NaiveUser } from './naive-evaluation.ts'
import { audienceId } from './new-computation.ts'

const HOUR = 60 * 60 * 1000

/** Times a few hours around noon: many are equal, and many are at the very end of a window. */
const moment = fc
  .tuple(fc.integer({ min: -20, max: 6 }), fc.constantFrom(0, 0, 0, 1, -1))
  .map(([hours, more]) => NOON + hours * HOUR + more)

/** The current time: noon, or close to it. */
export const someNow = fc.oneof(fc.constant(NOON), moment)

const value: fc.Arbitrary<Json> = fc.oneof(
  fc.integer({ min: -1, max: 3 }),
  fc.constantFrom('a', 'b', '1', ''),
)
// Numeric dates, the only form that the reference reads.
const traitValue = fc.oneof(value, moment)

const comparison: fc.Arbitrary<Comparison> = fc.oneof(
  fc.record({ op: fc.constantFrom('equals', 'not_equals'), value }),
  fc.record({ op: fc.constantFrom('>', '<='), value: fc.integer({ min: -1, max: 3 }) }),
  fc.record({ op: fc.constantFrom('exists', 'not_exists') }),
  fc.record({
    op: fc.constant('one_of' as const),
    value: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ op: fc.constant('within_last_days' as const), value: fc.constantFrom(1, 2) }),
)

const property = fc.constantFrom('p', 'q')
const filter: fc.Arbitrary<PropertyFilter> = fc
  .tuple(property, comparison)
  .map(([name, compared]) => ({ property: name, ...compared }))

const selection: fc.Arbitrary<EventSelection> = fc
  .tuple(
    fc.constantFrom<EventSelection>(
      { event: 'Order' },
      { event: 'Order' },
      { event: 'Signup' },
      { type: 'page' },
      { type: 'page', name: 'Home' },
    ),
    fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(filter, { maxLength: 2 })),
  )
  .map(([selected, where]) => (where.length > 0 ? { ...selected, where } : selected))

const someWindow: fc.Arbitrary<Window> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 4, max: 24 }).map((hours) => ({ within: { hours } })) },
  { weight: 1, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.tuple(moment, fc.integer({ min: 1, max: 20 })).map(([from, hours]) => ({
      between: [formatTimestamp(from), formatTimestamp(from + hours * HOUR)] as const,
    })),
  },
)

const count = fc.record({
  op: fc.constantFrom(...COUNT_OPERATORS),
  n: fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 0, max: 4 }) },
    fc.constantFrom(98, 99, 100, 101),
  ),
})

const eventClause: fc.Arbitrary<EventClause> = fc
  .tuple(selection, someWindow, fc.option(count))
  .map(([selected, window, counted]) => ({
    ...selected,
    ...window,
    ...(counted && { count: counted }),
  }))

/** Mostly clauses that count events. */
export const someClause: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 5, arbitrary: eventClause },
  fc
    .tuple(fc.constantFrom('s', 't'), comparison)
    .map(([trait, compared]) => ({ trait, ...compared })),
  comparison.map((compared) => ({ computedTrait: 'c', ...compared })),
  fc.constantFrom('a', 'b').map((letter) => ({ audience: audienceId(letter) })),
)

/** Conditions of a few clauses. */
export const someCondition: fc.Arbitrary<Condition> = fc.letrec<{ condition: Condition }>((tie) => {
  const list = fc.array(tie('condition'), { minLength: 1, maxLength: 3 })
  return {
    condition: fc.oneof(
      { maxDepth: 3 },
      { weight: 3, arbitrary: someClause },
      list.map((and) => ({ and })),
      list.map((or) => ({ or })),
      tie('condition').map((not) => ({ not })),
    ),
  }
}).condition

/** Computed traits of property `p`. */
export const someCompute: fc.Arbitrary<Compute> = fc
  .tuple(fc.constantFrom(...COMPUTE_FUNCTIONS), selection, someWindow)
  .map(([fn, selected, window]) => ({
    fn,
    ...selected,
    ...window,
    ...(fn !== 'count' && { property: 'p' }),
  }))

const event: fc.Arbitrary<NaiveEvent> = fc.record({
  what: fc.constantFrom(
    'track Order',
    'track Order',
    'track Order',
    'track Signup',
    'page Home',
    'page Pricing',
  ),
  at: moment,
  properties: fc.dictionary(property, value, { maxKeys: 2 }),
})

/** A few events from a user, or more than are kept. */
export const someEvents: fc.Arbitrary<readonly NaiveEvent[]> = fc.oneof(
  { weight: 20, arbitrary: fc.array(event, { minLength: 1, maxLength: 12 }) },
  fc.array(event, { minLength: 150, maxLength: 200 }),
)

export const someUser: fc.Arbitrary<NaiveUser> = fc.record({
  traits: fc.dictionary(fc.constantFrom('s', 't'), traitValue, { maxKeys: 2 }),
  events: someEvents,
  computed: fc.dictionary(fc.constant('c'), traitValue, { maxKeys: 1 }),
  audiences: fc.subarray([audienceId('a'), audienceId('b')]),
})

/** Every time at or after `now` when the verdict could change, and the millisecond before it. */
export function momentsOfChange({ events, traits, computed }: NaiveUser, now: number): number[] {
  const times = [
    ...events.map(({ at }) => at),
    ...Object.values(traits),
    ...Object.values(computed),
  ]
  const moments = new Set<number>()
  for (const time of times.filter((each) => typeof each === 'number')) {
    for (let hours = 0; hours <= 48; hours++) moments.add(time + hours * HOUR)
  }
  return [...moments].flatMap((each) => [each - 1, each]).filter((each) => each >= now)
}

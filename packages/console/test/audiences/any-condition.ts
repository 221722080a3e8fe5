import { COMPUTE_FUNCTIONS, COUNT_OPERATORS, type Json } from '@hookline/protocol'
import fc from 'fast-check'
import { comparison, conditionOf, text } from '../conditions/any-comparison.ts'

const filter = fc.tuple(text, comparison).map(([property, compared]) => ({ property, ...compared }))

const selection = fc.oneof(
  fc.record({ event: text }),
  fc.record({ type: fc.constantFrom('page', 'screen') }),
  fc.record({ type: fc.constantFrom('page', 'screen'), name: text }),
  fc.record({ type: fc.constantFrom('identify', 'group', 'alias') }),
)

const when = fc.oneof(
  fc.constant({}),
  fc
    .tuple(fc.constantFrom('days', 'hours', 'minutes', 'seconds'), fc.integer({ min: 1, max: 999 }))
    .map(([unit, n]) => ({ within: { [unit]: n } })),
  fc.constant({ between: ['2026-01-01', '2026-02-01T00:00:00.000Z'] }),
)

const where = fc.oneof(fc.constant({}), fc.record({ where: fc.array(filter, { maxLength: 3 }) }))

const counted = fc.oneof(
  fc.constant({}),
  fc.record({
    count: fc.record({
      op: fc.constantFrom(...COUNT_OPERATORS),
      n: fc.integer({ min: 0, max: 10_000 }),
    }),
  }),
)

const clause = fc.oneof(
  fc.tuple(text, comparison).map(([trait, compared]) => ({ trait, ...compared })),
  fc.tuple(text, comparison).map(([computedTrait, compared]) => ({ computedTrait, ...compared })),
  fc.record({ audience: fc.constant('aud_01m81grcbgedzt0s6b232e4pp8') }),
  fc.tuple(selection, where, when, counted).map((parts) => Object.assign({}, ...parts) as object),
)

/** Every form of condition that the protocol allows. */
export const anyCondition = conditionOf(clause as fc.Arbitrary<Json>)

/** Every form of `compute` that the protocol allows. */
export const anyCompute: fc.Arbitrary<Json> = fc
  .tuple(fc.constantFrom(...COMPUTE_FUNCTIONS), text, selection, where, when)
  .map(
    ([fn, property, ...parts]) =>
      Object.assign({ fn }, ...parts, fn === 'count' ? {} : { property }) as Json,
  )

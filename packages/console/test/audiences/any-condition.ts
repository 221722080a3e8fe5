import {
  COMPUTE_FUNCTIONS,
  COUNT_OPERATORS,
  type Json,
  OPERATOR_TABLE,
  OPERATORS,
  type ValueKind,
} from '@hookline/protocol'
import fc from 'fast-check'

const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }),
  fc.constantFrom('plan', '5', 'true', 'null', '"', '[1]', ' ', 'a\nb', '\u202e', '__proto__'),
)
// JSON cannot represent -0: `JSON.stringify` writes 0.
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((value) => value + 0)
const scalar: fc.Arbitrary<Json> = fc.oneof(text, fc.constant(''), number, fc.boolean())

const values: Readonly<Record<Exclude<ValueKind, 'none'>, fc.Arbitrary<Json>>> = {
  any: fc.oneof(scalar, fc.array(scalar), fc.dictionary(text, scalar)),
  scalar,
  number,
  text: fc.oneof(text, fc.constant('')),
  list: fc.array(scalar, { minLength: 1, maxLength: 6 }),
  date: fc.oneof(fc.constantFrom('2026-01-31', '2026-01-31T12:00:00.000Z'), fc.nat()),
  days: fc.integer({ min: 1, max: 3650 }),
}

const comparison = fc.constantFrom(...OPERATORS).chain((op) => {
  const { takes } = OPERATOR_TABLE[op]
  return takes === 'none'
    ? fc.constant({ op })
    : fc.record({ op: fc.constant(op), value: values[takes] })
})

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
export const anyCondition = fc.letrec<{ condition: Json; clause: Json }>((tie) => ({
  clause: clause as fc.Arbitrary<Json>,
  condition: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    tie('clause'),
    fc.record({ and: fc.array(tie('condition'), { minLength: 1, maxLength: 4 }) }),
    fc.record({ or: fc.array(tie('condition'), { minLength: 1, maxLength: 4 }) }),
    fc.record({ not: tie('condition') }),
  ) as fc.Arbitrary<Json>,
})).condition

/** Every form of `compute` that the protocol allows. */
export const anyCompute: fc.Arbitrary<Json> = fc
  .tuple(fc.constantFrom(...COMPUTE_FUNCTIONS), text, selection, where, when)
  .map(
    ([fn, property, ...parts]) =>
      Object.assign({ fn }, ...parts, fn === 'count' ? {} : { property }) as Json,
  )

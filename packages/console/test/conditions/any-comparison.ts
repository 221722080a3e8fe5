import { type Json, OPERATOR_TABLE, OPERATORS, type ValueKind } from '@hookline/protocol'
import fc from 'fast-check'

export const text = fc.oneof(
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

export const comparison = fc.constantFrom(...OPERATORS).chain((op) => {
  const { takes } = OPERATOR_TABLE[op]
  return takes === 'none'
    ? fc.constant({ op })
    : fc.record({ op: fc.constant(op), value: values[takes] })
})

/** Clauses in any `and`, `or` and `not`. */
export function conditionOf(clause: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.letrec<{ condition: Json; clause: Json }>((tie) => ({
    clause,
    condition: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      tie('clause'),
      fc.record({ and: fc.array(tie('condition'), { minLength: 1, maxLength: 4 }) }),
      fc.record({ or: fc.array(tie('condition'), { minLength: 1, maxLength: 4 }) }),
      fc.record({ not: tie('condition') }),
    ) as fc.Arbitrary<Json>,
  })).condition
}

import { FORMATS, type Json, SAMPLE_FIELDS, WEBHOOK_METHODS } from '@hookline/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shownBy } from '../../src/domain/conditions/draft/definition-draft.ts'
import { SHAPES } from '../../src/pages/destinations/settings/shape/shape-draft.ts'
import { text } from '../conditions/any-comparison.ts'

const paths = fc.array(text, { minLength: 1, maxLength: 3 })
const hash = fc.oneof(
  fc.record({ path: text }),
  fc.record({ path: text, normalize: fc.constant('email') }),
)
const rules = fc.oneof(
  fc.record({ keep: paths }),
  fc.record({ drop: paths }),
  fc.record({
    keep: paths,
    drop: paths,
    hash: fc.array(hash, { minLength: 1, maxLength: 3 }),
    salt: fc.constant({ set: true }),
  }),
)
const sample = fc.record({
  rate: fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000),
  by: fc.constantFrom(...SAMPLE_FIELDS),
})
const anyShape = fc.record(
  {
    sample,
    fields: rules,
    format: fc.constantFrom(...FORMATS),
    method: fc.constantFrom(...WEBHOOK_METHODS),
  },
  { requiredKeys: [] },
)

test('the inputs show the sample, the field rules and the format, and return them unchanged', () => {
  fc.assert(
    fc.property(anyShape, (shape) => {
      const draft = shownBy(SHAPES, shape as Json)
      expect(draft).toBeDefined()
      expect(SHAPES.jsonOf(draft!)).toEqual(shape)
      expect(SHAPES.isComplete(draft!)).toBe(true)
    }),
  )
})

test.for([{ fields: { drop: [] } }, { fields: { drop: 'a' } }, { sample: { rate: 2, more: 1 } }])(
  'settings that the inputs would change are kept as JSON: %j',
  (shape) => {
    expect(shownBy(SHAPES, shape)).toBeUndefined()
  },
)

test.for([
  [{}, 'All users, all fields'],
  [{ sample: { rate: 0.5, by: 'messageId' } }, '50% of events, chosen by messageId, all fields'],
  [
    {
      sample: { rate: 0.07, by: 'userId' },
      fields: { drop: ['context.ip', 'traits.ssn'], hash: [{ path: 'userId' }] },
      format: 'cloudevents',
      method: 'PUT',
    },
    '7% of users, chosen by userId, without context.ip and traits.ssn, with hashed userId, CloudEvents, sent with PUT',
  ],
] as const)('%j in words', ([shape, words]) => {
  expect(SHAPES.describe(SHAPES.draftOf(shape), () => undefined)).toBe(words)
})

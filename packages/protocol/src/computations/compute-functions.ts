import type { ComputeFunction } from './condition.ts'
import type { Json } from '../json.ts'

/** A function of computed traits, as the page docs/reference/audience-operators.md describes it. */
export interface ComputeFunctionInfo {
  readonly meaning: string
  /** The values of the property that it is made from. It ignores all others. */
  readonly from: string
  /** Its value for a user who had a value, when no event is left in the window. */
  readonly whenEmpty: Json
}

const SCALARS = 'texts, numbers, true and false'

/** All functions of computed traits. */
export const COMPUTE_TABLE: Readonly<Record<ComputeFunction, ComputeFunctionInfo>> = {
  count: { meaning: 'How many events there are.', from: 'no property', whenEmpty: 0 },
  sum: { meaning: 'The sum.', from: 'numbers', whenEmpty: 0 },
  avg: { meaning: 'The average: the sum, divided by how many.', from: 'numbers', whenEmpty: null },
  min: { meaning: 'The least number.', from: 'numbers', whenEmpty: null },
  max: { meaning: 'The greatest number.', from: 'numbers', whenEmpty: null },
  first: { meaning: 'The value of the earliest event.', from: 'every value', whenEmpty: null },
  last: { meaning: 'The value of the latest event.', from: 'every value', whenEmpty: null },
  most_frequent: {
    meaning: 'The value of most events. Of several, the first one in order.',
    from: SCALARS,
    whenEmpty: null,
  },
  unique_list: { meaning: 'The different values, in order.', from: SCALARS, whenEmpty: [] },
  unique_count: { meaning: 'How many different values there are.', from: SCALARS, whenEmpty: 0 },
}

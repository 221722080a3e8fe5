import type { ComputeFunction } from './condition.ts'
import type { Json } from '../json.ts'

/** A function of computed traits, as described in docs/reference/audience-operators.md. */
export interface ComputeFunctionInfo {
  readonly meaning: string
  /** The property values that it uses. It ignores all others. */
  readonly from: string
  /** The value once no event is left in the window, for a user who had a value before. */
  readonly whenEmpty: Json
}

const SCALARS = 'strings, numbers and booleans'

/** All functions of computed traits. */
export const COMPUTE_TABLE: Readonly<Record<ComputeFunction, ComputeFunctionInfo>> = {
  count: { meaning: 'The number of events.', from: 'no property', whenEmpty: 0 },
  sum: { meaning: 'The sum of the values.', from: 'numbers', whenEmpty: 0 },
  avg: { meaning: 'The average (arithmetic mean).', from: 'numbers', whenEmpty: null },
  min: { meaning: 'The smallest value.', from: 'numbers', whenEmpty: null },
  max: { meaning: 'The largest value.', from: 'numbers', whenEmpty: null },
  first: { meaning: 'The value of the earliest event.', from: 'any value', whenEmpty: null },
  last: { meaning: 'The value of the latest event.', from: 'any value', whenEmpty: null },
  most_frequent: {
    meaning: 'The most frequent value. In a tie, the first in sort order.',
    from: SCALARS,
    whenEmpty: null,
  },
  unique_list: { meaning: 'The distinct values, sorted.', from: SCALARS, whenEmpty: [] },
  unique_count: { meaning: 'The number of distinct values.', from: SCALARS, whenEmpty: 0 },
}

import { expect, test } from 'vitest'
import { decisionExplanation } from '../../src/domain/trace/explanations.ts'
import type { Decision } from '../../src/domain/trace/trace-query.ts'

test.for([
  ['filtered', 'Excluded. The current filter also excludes the event: type is not track.'],
  ['destination_disabled', 'The destination was disabled when the event arrived.'],
])('the decline reason %s is explained with the details from the service', ([reason, cause]) => {
  const decision = {
    decision: 'declined',
    reason,
    explanation: 'Excluded. The current filter also excludes the event: type is not track.',
    remedy: 'Change the filter.',
  } as Decision
  expect(decisionExplanation(decision, undefined, false)).toMatchObject({
    cause,
    page: 'destination',
  })
})

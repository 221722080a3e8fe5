import { expect, test } from 'vitest'
import { liveLine } from '../../../src/output/events/live-line.ts'
import { Output } from '../../../src/output/output.ts'

test.for([
  [{ oneOf: 8, leftOut: 0 }, 'showing 1 of 8'],
  [
    { oneOf: 8, leftOut: 1 },
    '1 event was not shown, because the output was read too slowly; showing 1 of 8',
  ],
  [
    { oneOf: 1, leftOut: 700 },
    '700 events were not shown, because the output was read too slowly; showing all again',
  ],
  // A service that does not know leftOut.
  [{ oneOf: 5 }, 'showing 1 of 5'],
] as const)('the line of sampling %j is: %s', ([data, line]) => {
  expect(liveLine(new Output({}), 'sampling', data)).toBe(line)
})

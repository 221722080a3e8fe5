import { expect, test } from 'vitest'
import { phasesOf } from '../../src/domain/trace/phases.ts'

test('the phases that an attempt reached are shown in their order', () => {
  const attempt = { class: 'delivered', timing: { responseMs: 9, lookupMs: 1 } }
  expect(phasesOf(attempt).map(({ words, ms }) => [words, ms])).toEqual([
    ['DNS', 1],
    ['response headers', 9],
  ])
})

test.for(['transform_failed', 'transform_declined'])(
  'an attempt that ended with %s sent nothing, so it has no phases',
  (kind) => {
    expect(phasesOf({ class: kind, timing: { responseMs: 0 } })).toEqual([])
  },
)

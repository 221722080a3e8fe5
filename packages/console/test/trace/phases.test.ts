import { expect, test } from 'vitest'
import { phasesOf } from '../../src/domain/trace/phases.ts'

test('the phases that an attempt reached are shown in their order', () => {
  const attempt = { timing: { responseMs: 9, lookupMs: 1 } }
  expect(phasesOf(attempt).map(({ words, ms }) => [words, ms])).toEqual([
    ['DNS', 1],
    ['response headers', 9],
  ])
})

test('an attempt without a request has no phases', () => {
  expect(phasesOf({ timing: {} })).toEqual([])
})

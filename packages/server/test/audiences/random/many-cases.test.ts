import { expect, test } from 'vitest'
import { caseCount } from '@hookline/testing/run/case-count'
import { runRandomCases } from './run-random-cases.ts'
import { SEED } from '@hookline/testing/run/seed'

const RUNS = caseCount('HOOKLINE_TEST_RUNS', 200)

test('memberships and announcements match the naive reference for random histories', async () => {
  const { cases } = await runRandomCases({ seed: SEED, runs: RUNS })
  expect(cases).toBe(RUNS)
}, 3_600_000)

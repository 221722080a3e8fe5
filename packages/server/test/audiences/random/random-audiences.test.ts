import { expect, test } from 'vitest'
import { runRandomCases } from './run-random-cases.ts'
import { SEED } from '@hookline/testing/run/seed'

/** The number of cases. many-cases.test.ts runs more. */
const RUNS = 6

test('memberships and announcements match the naive reference for random histories', async () => {
  const { cases } = await runRandomCases({ seed: SEED, runs: RUNS })
  expect(cases).toBe(RUNS)
})

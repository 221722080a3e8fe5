import { expect, test } from 'vitest'
import { runRandomCases } from './run-random-cases.ts'
import { SEED } from '@hookline/testing/run/seed'

/** The full form is many-cases.test.ts. */
const RUNS = 6

test('memberships and calls equal those of a naive reference, whatever happens in whatever order', async () => {
  const { cases } = await runRandomCases({ seed: SEED, runs: RUNS })
  expect(cases).toBe(RUNS)
})

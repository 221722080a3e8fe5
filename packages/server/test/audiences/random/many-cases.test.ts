import { expect, test } from 'vitest'
import { howMany } from '@hookline/testing/run/how-many'
import { runRandomCases } from './run-random-cases.ts'
import { SEED } from '@hookline/testing/run/seed'

const RUNS = howMany('HOOKLINE_TEST_RUNS', 200)

test('memberships and announcements equal the naive reference for random histories', async () => {
  const { cases } = await runRandomCases({ seed: SEED, runs: RUNS })
  expect(cases).toBe(RUNS)
}, 3_600_000)

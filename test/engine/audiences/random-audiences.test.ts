import { expect, test } from 'vitest'
import { howMany } from '../../harness/how-many.ts'
import { runRandomCases } from '../../../packages/server/test/audiences/random/run-random-cases.ts'
import { SEED } from '../seed.ts'

const RUNS = howMany('HOOKLINE_TEST_RUNS', 200)

test('memberships and calls equal those of a naive reference, whatever happens in whatever order', async () => {
  const { cases } = await runRandomCases({ seed: SEED, runs: RUNS })
  expect(cases).toBe(RUNS)
}, 3_600_000)

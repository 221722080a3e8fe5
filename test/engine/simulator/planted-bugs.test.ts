import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SEED } from '../seed.ts'
import { PLANTED_BUGS } from './rules/planted-bugs.ts'
import { scenarios } from './scenario.ts'
import { simulate } from './simulation.ts'

const MOST_RUNS = 300

test.each(PLANTED_BUGS)('the simulator finds $name', async ({ name, tampering, caughtAs }) => {
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    const { violations } = await simulate(scenario, tampering)
    return !violations.some((violation) => caughtAs.test(violation))
  })
  const { failed, numRuns } = await fc.check(property, {
    seed: SEED,
    numRuns: MOST_RUNS,
    endOnFailure: true,
  })
  console.log(`seed ${SEED}: ${name}: found in scenario ${numRuns}`)
  expect(failed).toBe(true)
})

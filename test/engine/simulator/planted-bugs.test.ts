import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SEED } from '../seed.ts'
import { PLANTED_BUGS } from './planted-bugs.ts'
import { scenarios } from './scenario.ts'
import { simulate } from './simulation.ts'

const MOST_RUNS = 300

test.each(PLANTED_BUGS)('the simulator finds $name', async ({ name, bug, violation }) => {
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    const { violations } = await simulate(scenario, bug)
    return !violations.some((each) => violation.test(each))
  })
  const { failed, numRuns } = await fc.check(property, {
    seed: SEED,
    numRuns: MOST_RUNS,
    endOnFailure: true,
  })
  console.log(`seed ${SEED}: ${name}: found in scenario ${numRuns}`)
  expect(failed).toBe(true)
})

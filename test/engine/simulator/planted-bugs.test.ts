import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SEED } from '@hookline/testing/run/seed'
import { PLANTED_BUGS } from './planted-bugs.ts'
import { PLANTED_THREAD_BUGS } from './planted-thread-bugs.ts'
import { scenarios } from './scenario.ts'
import { scenariosWithThreads } from './scenarios-with-threads.ts'
import { simulate } from './simulation.ts'

const MAX_RUNS = 300

const ALL = [
  ...PLANTED_BUGS.map((planted) => ({ ...planted, among: scenarios })),
  ...PLANTED_THREAD_BUGS.map((planted) => ({ ...planted, among: scenariosWithThreads })),
]

test.each(ALL)('the simulator finds $name', async ({ name, bug, violation, among }) => {
  const property = fc.asyncProperty(among, async (scenario) => {
    const { violations } = await simulate(scenario, bug)
    return !violations.some((each) => violation.test(each))
  })
  const { failed, numRuns } = await fc.check(property, {
    seed: SEED,
    numRuns: MAX_RUNS,
    endOnFailure: true,
  })
  console.log(`seed ${SEED}: ${name}: found in scenario ${numRuns}`)
  expect(failed).toBe(true)
})

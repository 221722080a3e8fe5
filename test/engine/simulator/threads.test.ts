import fc from 'fast-check'
import { expect, test } from 'vitest'
import { caseCount } from '@hookline/testing/run/case-count'
import { SEED } from '@hookline/testing/run/seed'
import { scenariosWithThreads } from './scenarios-with-threads.ts'
import { simulate } from './simulation.ts'

const RUNS = caseCount('HOOKLINE_TEST_RUNS', 300)
/** Time limit for shrinking a failing scenario. */
const SHRINKING_MS = 120_000

test('with lanes in threads that are killed, each event reaches one final state for each destination, and all invariants hold', async () => {
  const total = { steps: 0, events: 0, sends: 0, crashes: 0, threadKills: 0 }
  const property = fc.asyncProperty(scenariosWithThreads, async (scenario) => {
    const { violations, ...counts } = await simulate(scenario)
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += counts[name]
    expect(violations).toEqual([])
  })
  const details = await fc.check(property, {
    seed: SEED,
    numRuns: RUNS,
    interruptAfterTimeLimit: SHRINKING_MS,
  })
  const { steps, events, sends, crashes, threadKills } = total
  console.log(
    `seed ${SEED}: ${details.numRuns} scenarios, ${steps} clock steps, ${events} events, ${sends} requests, ${crashes} crashes, ${threadKills} thread kills`,
  )
  expect(details.failed, await fc.asyncDefaultReportMessage(details)).toBe(false)
})

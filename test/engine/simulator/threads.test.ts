import fc from 'fast-check'
import { expect, test } from 'vitest'
import { howMany } from '@hookline/testing/run/how-many'
import { SEED } from '@hookline/testing/run/seed'
import { scenariosWithThreads } from './scenarios-with-threads.ts'
import { simulate } from './simulation.ts'

const RUNS = howMany('HOOKLINE_TEST_RUNS', 300)
/** How long a failing scenario is shrunk. */
const SHRINKING_MS = 120_000

test('with lanes in threads that are killed, each event ends in one state for each destination, and every invariant holds', async () => {
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
    `seed ${SEED}: ${details.numRuns} scenarios, ${steps} steps of time, ${events} events, ${sends} requests, ${crashes} crashes, ${threadKills} kills of threads`,
  )
  expect(details.failed, await fc.asyncDefaultReportMessage(details)).toBe(false)
})

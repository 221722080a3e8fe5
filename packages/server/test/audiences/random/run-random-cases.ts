import { OpenAudiences } from '../open-audiences.ts'
import { RandomCase, type Totals } from './random-case.ts'

/** Cases that share a database, each in its own space. */
const CASES_PER_DATABASE = 25

/** Runs random cases. Throws at the first difference from the reference, and reports the seed and steps. */
export async function runRandomCases(options: {
  readonly seed: number
  readonly runs: number
}): Promise<Totals> {
  const totals: Totals = { cases: 0, settled: 0, events: 0, identifies: 0, computations: 0 }
  for (let from = 0; from < options.runs; from += CASES_PER_DATABASE) {
    await using open = await OpenAudiences.start()
    const until = Math.min(options.runs, from + CASES_PER_DATABASE)
    for (let run = from; run < until; run++) {
      const seed = options.seed + run
      const one = new RandomCase(open, `${run}`, seed, totals)
      try {
        await one.run()
      } catch (error) {
        const story = one.story.join('\n')
        throw new Error(`HOOKLINE_TEST_SEED=${seed} HOOKLINE_TEST_RUNS=1\n${story}`, {
          cause: error,
        })
      }
    }
  }
  const { cases, settled, events, identifies, computations } = totals
  console.log(
    `seed ${options.seed}: ${cases} cases, ${settled} comparisons, ${events} events, ${computations} audiences and computed traits, ${identifies} calls`,
  )
  return totals
}

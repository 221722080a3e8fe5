import { expect, test } from 'vitest'
import { ReceiversProcess } from '../receivers/receivers-process.ts'
import { type LoadOptions, type LoadResult, steadyLoad } from './steady-load.ts'

const ROUNDS = 5
const SECONDS = 2
/** The load, as a share of what the ten receivers can take when each responds. */
const LOAD = Number(process.env['HOOKLINE_TEST_LOAD'] ?? 0.8)
/** The targets are 0.95 and 1.2. These limits leave a margin for a busy machine. */
const LEAST_THROUGHPUT = 0.9
const MOST_P99 = 1.2
const MOST_P99_MORE_MS = 50

test('a webhook that hangs on every request does not slow down nine healthy ones', async () => {
  await using receivers = await ReceiversProcess.open()
  const load = { receivers, seconds: SECONDS, tenth: 'answering' } as const
  // A first run, whose result is ignored, lets the code be compiled.
  await steadyLoad({ ...load, seconds: 1 })
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // Measured for each round, because the load that others put on the machine changes.
    const most = await steadyLoad({ ...load, seconds: 1 })
    const eventsPerSecond = (LOAD * most.rate) / 9
    const measure = (tenth: LoadOptions['tenth']): Promise<LoadResult> =>
      steadyLoad({ ...load, eventsPerSecond, tenth })
    const before = round % 2 === 0 ? await measure('answering') : undefined
    const beside = await measure('hanging')
    rounds.push({ most, without: before ?? (await measure('answering')), beside })
  }
  const throughput = median(rounds.map(({ beside, without }) => beside.rate / without.rate))
  const p99 = median(rounds.map(({ beside, without }) => beside.p99Ms / without.p99Ms))
  console.log(
    `at ${100 * LOAD} % load, beside a webhook that hangs: throughput ${throughput.toFixed(3)} (target 0.95), ` +
      `p99 ${p99.toFixed(2)} (target 1.2) of its value when that webhook responds; rounds: ${rounds.map(shown).join('; ')}`,
  )
  expect(throughput).toBeGreaterThan(LEAST_THROUGHPUT)
  const without = median(rounds.map((round) => round.without.p99Ms))
  const beside = median(rounds.map((round) => round.beside.p99Ms))
  expect(beside).toBeLessThan(MOST_P99 * without + MOST_P99_MORE_MS)
})

interface Round {
  readonly most: LoadResult
  readonly without: LoadResult
  readonly beside: LoadResult
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2
}

function shown({ most, without, beside }: Round): string {
  const [before, after] = [without, beside].map(
    ({ rate, p99Ms }) => `${rate.toFixed(0)}/s p99 ${p99Ms.toFixed(0)} ms`,
  )
  return `most ${most.rate.toFixed(0)}/s, ${before}, beside it ${after}`
}

import { expect, test } from 'vitest'
import { ReceiversProcess } from '../receivers/receivers-process.ts'
import { type LoadOptions, type LoadResult, steadyLoad } from './steady-load.ts'

const ROUNDS = 5
const SECONDS = 2
/** Of what the ten can take when each answers. */
const LOAD = Number(process.env['HOOKLINE_TEST_LOAD'] ?? 0.8)
/** The bars are 0.95 and 1.2; these leave room for a machine that does other things as well. */
const LEAST_THROUGHPUT = 0.9
const MOST_P99 = 1.2
const MOST_P99_MORE_MS = 50

test('a webhook that hangs on every request costs nine healthy ones nothing', async () => {
  await using receivers = await ReceiversProcess.open()
  const load = { receivers, seconds: SECONDS, tenth: 'answering' } as const
  // Warm code, thrown away.
  await steadyLoad({ ...load, seconds: 1 })
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // Measured anew for each round: what the machine has left for us changes.
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
    `at ${100 * LOAD} % load, beside a webhook that hangs: throughput ${throughput.toFixed(3)} (bar 0.95), ` +
      `p99 ${p99.toFixed(2)} (bar 1.2) of what it is when that one answers; rounds: ${rounds.map(shown).join('; ')}`,
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

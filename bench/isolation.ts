import { steadyLoad } from '../test/engine/isolation/steady-load.ts'
import { ReceiversProcess } from '../test/engine/receivers/receivers-process.ts'
import type { Benchmark } from './benchmark.ts'

/** Of what ten webhooks take when each answers. */
const LOAD = 0.5
const DESTINATIONS = 10

/** How late nine healthy webhooks get their events beside a tenth that never answers. */
export function isolation(goals: { readonly p99Ratio: number }): Benchmark {
  return {
    async run({ rounds, seconds }) {
      await using receivers = await ReceiversProcess.open()
      const load = (tenth: 'hanging' | 'answering', eventsPerSecond?: number) =>
        steadyLoad({
          receivers,
          seconds: seconds / 2,
          tenth,
          ...(eventsPerSecond && { eventsPerSecond }),
        })
      const without: number[] = []
      const beside: number[] = []
      const rates: number[] = []
      await load('answering')
      for (let round = 0; round < rounds; round++) {
        // Measured anew for each round: what the machine has left for us changes.
        const most = await load('answering')
        const eachPerSecond = (LOAD * most.rate) / (DESTINATIONS - 1)
        rates.push(LOAD * most.rate)
        const order =
          round % 2 === 0
            ? (['answering', 'hanging'] as const)
            : (['hanging', 'answering'] as const)
        for (const tenth of order) {
          const { p99Ms } = await load(tenth, eachPerSecond)
          ;(tenth === 'hanging' ? beside : without).push(p99Ms)
        }
      }
      const ratios = beside.map((value, round) => value / without[round]!)
      const goal = { atMost: goals.p99Ratio }
      return {
        figures: [
          { name: 'p99 beside a dead webhook', unit: 'ms', values: beside },
          { name: 'p99 without', unit: 'ms', values: without },
          { name: 'rate of the nine', unit: 'events/s', values: rates },
          { name: 'ratio', unit: '', values: ratios, goal },
        ],
        notes: ['ten destinations at half of what they take when each answers'],
      }
    },
  }
}

import {
  type LoadOptions,
  type LoadResult,
  steadyLoad,
} from '../../test/engine/isolation/steady-load.ts'
import { ReceiversProcess } from '../../test/engine/receivers/receivers-process.ts'
import type { Benchmark, Effort } from './benchmark.ts'

/** Of what ten webhooks take when each answers. */
const LOAD = 0.8
const HEALTHY = 9

/** How late nine healthy webhooks get their events beside a tenth that never answers. */
export function isolation(goals: {
  readonly p99Ratio: number
  readonly throughput: number
}): Benchmark {
  return {
    async run(effort) {
      const rounds = await measure(effort)
      const values = (of: (round: Round) => number): readonly number[] => rounds.map(of)
      const ratios = values(({ beside, without }) => beside.p99Ms / without.p99Ms)
      return {
        figures: [
          {
            name: 'p99 beside a dead webhook',
            unit: 'ms',
            values: values(({ beside }) => beside.p99Ms),
          },
          { name: 'p99 without', unit: 'ms', values: values(({ without }) => without.p99Ms) },
          { name: 'rate of the nine', unit: 'events/s', values: values(({ rate }) => rate) },
          {
            name: 'throughput',
            unit: '',
            values: values(({ throughput }) => throughput),
            goal: { atLeast: goals.throughput },
          },
          { name: 'ratio', unit: '', values: ratios, goal: { atMost: goals.p99Ratio } },
        ],
        notes: ['ten destinations at 80 % of what they take when each answers'],
      }
    },
  }
}

interface Round {
  /** Events per second. */
  readonly rate: number
  readonly beside: LoadResult
  readonly without: LoadResult
  /** Delivered to the nine beside the dead webhook, as a part of what is without it. */
  readonly throughput: number
}

async function measure({ rounds, seconds }: Effort): Promise<readonly Round[]> {
  await using receivers = await ReceiversProcess.open()
  const load = { receivers, seconds }
  await steadyLoad({ ...load, seconds: seconds / 2, tenth: 'answering' })
  const measured: Round[] = []
  for (let round = 0; round < rounds; round++) {
    // Measured anew for each round: what the machine has left for us changes.
    const most = await steadyLoad({ ...load, seconds: seconds / 2, tenth: 'answering' })
    const rate = LOAD * most.rate
    const side = (tenth: LoadOptions['tenth']): Promise<LoadResult> =>
      steadyLoad({ ...load, tenth, eventsPerSecond: rate / HEALTHY })
    const first = round % 2 === 0 ? await side('answering') : undefined
    const beside = await side('hanging')
    const without = first ?? (await side('answering'))
    measured.push({ rate, beside, without, throughput: beside.rate / without.rate })
  }
  return measured
}

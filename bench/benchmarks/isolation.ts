import {
  type LoadOptions,
  type LoadResult,
  steadyLoad,
} from '../../test/engine/isolation/steady-load.ts'
import { ReceiversProcess } from '../../test/engine/receivers/receivers-process.ts'
import type { Benchmark, RunSettings } from './benchmark.ts'

/** The load, as a share of the throughput of ten webhooks that all respond. */
const LOAD = 0.8
const HEALTHY = 9

/** The latency of nine healthy webhooks while a tenth never responds. */
export function isolation(goals: {
  readonly p99Ratio: number
  readonly throughput: number
}): Benchmark {
  return {
    async run(settings) {
      const rounds = await measure(settings)
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
        notes: ['ten destinations at 80 % of what they take when each responds'],
      }
    },
  }
}

interface Round {
  /** Events per second. */
  readonly rate: number
  readonly beside: LoadResult
  readonly without: LoadResult
  /** Deliveries to the nine while the tenth is dead, divided by those while it responds. */
  readonly throughput: number
}

async function measure({ rounds, seconds }: RunSettings): Promise<readonly Round[]> {
  await using receivers = await ReceiversProcess.open()
  const load = { receivers, seconds }
  await steadyLoad({ ...load, seconds: seconds / 2, tenth: 'answering' })
  const measured: Round[] = []
  for (let round = 0; round < rounds; round++) {
    // Measured again for each round: the capacity that the machine has left changes.
    const maximum = await steadyLoad({ ...load, seconds: seconds / 2, tenth: 'answering' })
    const rate = LOAD * maximum.rate
    const side = (tenth: LoadOptions['tenth']): Promise<LoadResult> =>
      steadyLoad({ ...load, tenth, eventsPerSecond: rate / HEALTHY })
    const first = round % 2 === 0 ? await side('answering') : undefined
    const beside = await side('hanging')
    const without = first ?? (await side('answering'))
    measured.push({ rate, beside, without, throughput: beside.rate / without.rate })
  }
  return measured
}

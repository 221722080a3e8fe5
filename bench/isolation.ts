import { steadyLoad } from '../test/engine/isolation/steady-load.ts'
import { ReceiversProcess } from '../test/engine/receivers/receivers-process.ts'
import type { Benchmark, Effort } from './benchmark.ts'

/** Of what ten webhooks take when each answers. */
const LOAD = 0.5
const HEALTHY = 9

/** How late nine healthy webhooks get their events beside a tenth that never answers. */
export function isolation(goals: { readonly p99Ratio: number }): Benchmark {
  return {
    async run(effort) {
      const rounds = await measure(effort)
      const values = (of: (round: Round) => number): readonly number[] => rounds.map(of)
      const ratios = values(({ beside, without }) => beside / without)
      return {
        figures: [
          {
            name: 'p99 beside a dead webhook',
            unit: 'ms',
            values: values(({ beside }) => beside),
          },
          { name: 'p99 without', unit: 'ms', values: values(({ without }) => without) },
          { name: 'rate of the nine', unit: 'events/s', values: values(({ rate }) => rate) },
          { name: 'ratio', unit: '', values: ratios, goal: { atMost: goals.p99Ratio } },
        ],
        notes: ['ten destinations at half of what they take when each answers'],
      }
    },
  }
}

interface Round {
  /** Events per second. */
  readonly rate: number
  /** Milliseconds. */
  readonly beside: number
  readonly without: number
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
    const p99Ms = async (tenth: 'hanging' | 'answering'): Promise<number> =>
      (await steadyLoad({ ...load, tenth, eventsPerSecond: rate / HEALTHY })).p99Ms
    const first = round % 2 === 0 ? await p99Ms('answering') : undefined
    const beside = await p99Ms('hanging')
    measured.push({ rate, beside, without: first ?? (await p99Ms('answering')) })
  }
  return measured
}

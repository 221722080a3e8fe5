import { type Benchmark, type Effort, quantile } from './benchmark.ts'
import { Arrivals, Passage } from '../load/passage.ts'
import { Service } from '../load/service.ts'

/**
 * From the call to the receiver, at half of what the service can take. Calls come at random times, at a rate
 * that waits for nobody, and the clock of each starts when it was due: what a slow moment delays counts.
 */
export function endToEnd(goals: { readonly p99Ms: number }): Benchmark {
  return {
    async run(effort) {
      const rounds: Round[] = []
      for (let round = 0; round < effort.rounds; round++) rounds.push(await measure(effort))
      const values = (of: (round: Round) => number): readonly number[] => rounds.map(of)
      return {
        figures: [
          { name: 'maximum', unit: 'events/s', values: values(({ most }) => most) },
          { name: 'rate', unit: 'events/s', values: values(({ rate }) => rate) },
          { name: 'p50', unit: 'ms', values: values(({ p50Ms }) => p50Ms) },
          {
            name: 'p99',
            unit: 'ms',
            values: values(({ p99Ms }) => p99Ms),
            goal: { atMost: goals.p99Ms },
          },
          { name: 'p99.9', unit: 'ms', values: values(({ p999Ms }) => p999Ms) },
          { name: 'longest', unit: 'ms', values: values(({ longestMs }) => longestMs) },
        ],
        notes: ['single calls; each figure is of one round, its median and spread of all rounds'],
      }
    },
  }
}

interface Round {
  readonly most: number
  readonly rate: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly longestMs: number
}

async function measure({ seconds }: Effort): Promise<Round> {
  await using arrivals = await new Arrivals().open()
  await using service = await Service.start()
  const { writeKey } = await service.addSource(arrivals.urlOf('/hook'))
  await using passage = await Passage.open({ port: service.port, writeKey, arrivals })
  await passage.throughput(seconds / 2)
  const most = await passage.throughput(seconds)
  const latencies = await passage.latenciesMs({ eventsPerSecond: most / 2, seconds })
  return {
    most,
    rate: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    p999Ms: quantile(latencies, 0.999),
    longestMs: Math.max(...latencies),
  }
}

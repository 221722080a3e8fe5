import type { Benchmark, Effort } from './benchmark.ts'
import { emptyService, type Loaded, throughputInTurn } from '../load/in-turn.ts'
import { largeData } from '../load/large-data.ts'
import type { Arrivals } from '../load/passage.ts'
import { Service } from '../load/service.ts'

const HISTORY = 10_000_000
/** Of so many rows of history, one delivery is pending. */
const HISTORY_PER_PENDING = 10

/**
 * Events per second from call to receiver of a service with much history and many pending deliveries, against
 * those of an empty one.
 */
export function growth(goal: number): Benchmark {
  return {
    async run(effort) {
      const amounts = amountsFor(effort)
      const points = await throughputInTurn(effort, amounts, serviceWith)
      const [empty, full] = [points[0]!.values, points.at(-1)!.values]
      const ratios = full.map((value, round) => value / empty[round]!)
      const unit = 'events/s'
      const size = `${amounts.at(-1)!.toLocaleString('en')} rows of history`
      return {
        figures: [
          { name: 'full', unit, values: full },
          { name: 'empty', unit, values: empty },
          { name: 'ratio', unit: '', values: ratios, goal: { atLeast: goal } },
        ],
        notes: [
          `full: ${size} (half events, half their deliveries) and a tenth as many pending deliveries of the same destination`,
          'made by SQL from one delivered and one refused call of the service itself, each with a messageId and user of its own',
        ],
        curves: [
          {
            name: 'growth',
            title: 'Throughput with history, and a tenth as many pending deliveries',
            x: 'rows of history',
            y: unit,
            points,
          },
        ],
      }
    },
  }
}

function amountsFor({ isQuick }: Effort): readonly number[] {
  return isQuick ? [0, HISTORY / 100] : [0, HISTORY / 100, HISTORY / 10, HISTORY]
}

async function serviceWith(
  arrivals: Arrivals,
  history: number,
  stack: AsyncDisposableStack,
): Promise<Loaded> {
  if (history === 0) return emptyService(arrivals)
  const data = await largeData(arrivals, { history, pending: history / HISTORY_PER_PENDING })
  stack.use(data)
  return { service: await Service.start(data.path), source: data.source }
}

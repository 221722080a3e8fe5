import type { Benchmark, RunSettings } from './benchmark.ts'
import type { EventReceiver } from '../load/event-receiver.ts'
import { largeData } from '../load/large-data.ts'
import { ServiceProcess } from '../load/service-process.ts'
import { emptyService, type LoadedService } from '../load/throughput.ts'
import { throughputCurve } from './throughput-curve.ts'

const HISTORY = 10_000_000
/** Rows of history per pending delivery. */
const HISTORY_PER_PENDING = 10

/**
 * Events per second from call to receiver in a service with a large history and many pending deliveries, compared with an
 * empty service.
 */
export function growth(goal: number): Benchmark {
  return {
    async run(settings) {
      const amounts = amountsFor(settings)
      const points = await throughputCurve(settings, amounts, serviceWith)
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
          'copied by SQL from one delivered and one pending delivery of the service itself, each with its own messageId and user',
        ],
        curves: [
          {
            name: 'growth',
            title: 'Throughput by rows of history, with a tenth as many pending deliveries',
            x: 'rows of history',
            y: unit,
            points,
          },
        ],
      }
    },
  }
}

function amountsFor({ isQuick }: RunSettings): readonly number[] {
  return isQuick ? [0, HISTORY / 100] : [0, HISTORY / 100, HISTORY / 10, HISTORY]
}

async function serviceWith(
  receiver: EventReceiver,
  history: number,
  stack: AsyncDisposableStack,
): Promise<LoadedService> {
  if (history === 0) return emptyService(receiver)
  const data = await largeData(receiver, { history, pending: history / HISTORY_PER_PENDING })
  stack.use(data)
  return { service: await ServiceProcess.start(data.path), source: data.source }
}

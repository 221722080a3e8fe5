import {
  faultEffect,
  p99Noise,
  p99Ratio,
  type Round,
  throughputRatio,
} from '../../test/engine/isolation/fault-effect.ts'
import { type Layout, LAYOUTS } from '../../test/engine/isolation/layouts.ts'
import { ReceiversProcess } from '../../test/engine/receivers/receivers-process.ts'
import type { Benchmark, Figure } from './benchmark.ts'

/** Long enough for the breaker of a dead webhook to open, and for its parked deliveries to be claimed again. */
const FULL_SECONDS = 30

interface Goals {
  readonly p99Ratio: number
  readonly throughput: number
}

/** The effect of faulty webhooks on the latency and the throughput of healthy ones. */
export function isolation(goals: Goals): Benchmark {
  return {
    async run({ isQuick, ...settings }) {
      const seconds = isQuick ? settings.seconds : FULL_SECONDS
      await using receivers = await ReceiversProcess.open()
      const measure = async (name: string, layout: Layout): Promise<IsolationMeasurement> => {
        const effect = await faultEffect({ receivers, layout, ...settings, seconds })
        return { figures: figuresOf(name, effect.rounds, goals), discarded: effect.discarded }
      }
      const { destinations, webhooks } = LAYOUTS
      const measured = [
        await measure('next to a dead destination', destinations),
        await measure('next to a dead and a slow webhook', webhooks),
      ]
      return {
        seconds,
        figures: measured.flatMap(({ figures }) => figures),
        notes: [
          'the load is 80% of the throughput with every webhook healthy',
          `rounds discarded, because the machine could not handle the load without the fault: ${measured.map(({ discarded }) => discarded).join(' and ')}`,
        ],
      }
    },
  }
}

interface IsolationMeasurement {
  readonly figures: readonly Figure[]
  readonly discarded: number
}

function figuresOf(where: string, rounds: readonly Round[], goals: Goals): readonly Figure[] {
  const figure = (
    name: string,
    value: (round: Round) => number,
    more: Pick<Figure, 'goal'> & { readonly unit?: string } = {},
  ): Figure => ({ name: `${name}, ${where}`, unit: '', ...more, values: rounds.map(value) })
  return [
    figure('p99', ({ withFault }) => withFault.p99Ms, { unit: 'ms' }),
    figure('p99 without the fault', ({ before }) => before.p99Ms, { unit: 'ms' }),
    figure('rate', ({ withFault }) => withFault.rate, { unit: 'events/s' }),
    figure('throughput', throughputRatio, { goal: { atLeast: goals.throughput } }),
    figure('ratio', p99Ratio, { goal: { atMost: goals.p99Ratio } }),
    figure('noise', p99Noise),
  ]
}

import { expect, test } from 'vitest'
import { median } from '../../../bench/benchmarks/benchmark.ts'
import { halfIfShort } from '@hookline/testing/run/how-many'
import { ReceiversProcess } from '../receivers/receivers-process.ts'
import {
  type FaultEffect,
  faultEffect,
  p99Noise,
  p99Ratio,
  type Round,
  throughputRatio,
} from './fault-effect.ts'
import { LAYOUTS } from './layouts.ts'

const ROUNDS = halfIfShort(5)
const SECONDS = Number(process.env['HOOKLINE_TEST_ISOLATION_SECONDS'] ?? 3)
const LEAST_THROUGHPUT = 0.95
const MOST_P99 = 1.2

test.for(Object.values(LAYOUTS))(
  'a fault does not slow down $title',
  { timeout: 240_000 + 40 * SECONDS * 1000 },
  async (layout) => {
    await using receivers = await ReceiversProcess.open()
    const effect = await faultEffect({ receivers, layout, rounds: ROUNDS, seconds: SECONDS })
    const of = (value: (round: Round) => number): number => median(effect.rounds.map(value))
    const noise = of(p99Noise)
    console.log(`${layout.title}, runs of ${SECONDS} s: ${shown(effect)}`)
    expect(of(throughputRatio)).toBeGreaterThanOrEqual(LEAST_THROUGHPUT)
    expect(of(p99Ratio)).toBeLessThanOrEqual(MOST_P99 + noise)
  },
)

function shown({ rounds, discarded }: FaultEffect): string {
  const spread = (name: string, value: (round: Round) => number): string => {
    const values = rounds.map(value)
    const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)]
    return `${name} ${middle.toFixed(2)} (${least.toFixed(2)} – ${most.toFixed(2)})`
  }
  return [
    spread('throughput', throughputRatio),
    spread('p99', p99Ratio),
    spread('noise of p99', p99Noise),
    spread('rate', ({ before }) => before.rate),
    spread('p99 without it in ms', ({ before }) => before.p99Ms),
    `${discarded} rounds discarded`,
  ].join(', ')
}

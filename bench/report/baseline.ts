import { readFileSync, writeFileSync } from 'node:fs'
import { type Figure, median } from '../benchmarks/benchmark.ts'

/**
 * The figures with a goal from a `--quick` run, by benchmark and figure. They only show whether something is broken, since
 * a second on a busy machine is too short for more.
 */
type Baseline = Readonly<Record<string, Readonly<Record<string, number>>>>

/**
 * A figure this many times worse than both its baseline and its goal is a regression, not noise. A
 * rate is averaged over a second, while the latency of the slowest of a few hundred events is less
 * precise.
 */
const MARGIN = { rates: 4, times: 10 }

const FILE = new URL('../baseline.json', import.meta.url)

export function readBaseline(): Baseline {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Baseline
}

export function writeBaseline(baseline: Baseline): void {
  writeFileSync(FILE, `${JSON.stringify(baseline, null, 2)}\n`)
}

/** The figures of one benchmark, as the baseline stores them. */
export function toBaseline(figures: readonly Figure[]): Baseline[string] {
  const kept = figures.filter(({ goal }) => goal !== undefined)
  return Object.fromEntries(
    kept.map(({ name, values }) => [name, Number(median(values).toPrecision(3))]),
  )
}

export interface AgainstBaseline {
  readonly name: string
  /** The ratio to the baseline. Higher is better for every figure. */
  readonly ratio: number
  readonly isBroken: boolean
}

/** Omits figures that the baseline lacks, for example because a server was missing. */
export function againstBaseline(
  figures: readonly Figure[],
  known: Baseline[string] = {},
): readonly AgainstBaseline[] {
  return figures.flatMap(({ name, goal, values }) => {
    const before = known[name]
    if (goal === undefined || before === undefined) return []
    const now = median(values)
    if ('atLeast' in goal) {
      const isBroken = !(now >= Math.min(before, goal.atLeast) / MARGIN.rates)
      return [{ name, ratio: now / before, isBroken }]
    }
    const isBroken = !(now <= Math.max(before, goal.atMost) * MARGIN.times)
    return [{ name, ratio: before / now, isBroken }]
  })
}

import { readFileSync, writeFileSync } from 'node:fs'
import { type Figure, median } from '../benchmarks/benchmark.ts'

/**
 * The figures with a goal as a `--quick` run found them once, to see that nothing has broken: what a busy
 * machine measures in a second is too rough for more. By benchmark and figure.
 */
type Baseline = Readonly<Record<string, Readonly<Record<string, number>>>>

/**
 * So many times worse than baseline and goal is a fault and not noise. A rate is the mean of a second; how late the
 * latest of a few hundred events is says less.
 */
const MARGIN = { ofRates: 4, ofTimes: 10 }

const FILE = new URL('../baseline.json', import.meta.url)

export function readBaseline(): Baseline {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Baseline
}

export function writeBaseline(baseline: Baseline): void {
  writeFileSync(FILE, `${JSON.stringify(baseline, null, 2)}\n`)
}

/** The figures of one benchmark as they are kept. */
export function toBaseline(figures: readonly Figure[]): Baseline[string] {
  const kept = figures.filter(({ goal }) => goal !== undefined)
  return Object.fromEntries(
    kept.map(({ name, values }) => [name, Number(median(values).toPrecision(3))]),
  )
}

export interface AgainstBaseline {
  readonly name: string
  /** How many times as good as the baseline: more is better, whatever the figure. */
  readonly ratio: number
  readonly isBroken: boolean
}

/** Figures that the baseline does not know, like those of a server that was missing then, are left out. */
export function againstBaseline(
  figures: readonly Figure[],
  known: Baseline[string] = {},
): readonly AgainstBaseline[] {
  return figures.flatMap(({ name, goal, values }) => {
    const before = known[name]
    if (goal === undefined || before === undefined) return []
    const now = median(values)
    if ('atLeast' in goal) {
      const isBroken = !(now >= Math.min(before, goal.atLeast) / MARGIN.ofRates)
      return [{ name, ratio: now / before, isBroken }]
    }
    const isBroken = !(now <= Math.max(before, goal.atMost) * MARGIN.ofTimes)
    return [{ name, ratio: before / now, isBroken }]
  })
}

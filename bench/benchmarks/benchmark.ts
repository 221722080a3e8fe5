export interface RunSettings {
  readonly rounds: number
  /** The length of each measurement. */
  readonly seconds: number
  /** The length of the load before each measurement. Default: half of `seconds`. */
  readonly warmUpSeconds?: number
  /** Uses less data. The notes of a measurement state how much. */
  readonly isQuick: boolean
}

/** The value that a figure should reach. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** One measured quantity, with a value for each round. */
export interface Figure {
  readonly name: string
  /** For example `calls/s`; empty for a ratio. */
  readonly unit: string
  readonly values: readonly number[]
  readonly goal?: Goal | undefined
}

/** A figure that depends on `x`, for a plot. */
export interface Curve {
  /** The name of the plot's file. */
  readonly name: string
  readonly title: string
  readonly x: string
  readonly y: string
  readonly points: readonly { readonly x: number; readonly values: readonly number[] }[]
}

/** Figures in rows and columns, if there are too many for a list. */
export interface Table {
  readonly name: string
  /** The headings of the labels. */
  readonly labels: readonly string[]
  /** Such as `main, % of a core`. */
  readonly columns: readonly string[]
  readonly rows: readonly TableRow[]
}

interface TableRow {
  readonly labels: readonly string[]
  /** The values of each column, one for each round; empty if the row lacks the figure. */
  readonly values: readonly (readonly number[])[]
}

export interface Measurement {
  /** The length of each measurement, if different from the settings. */
  readonly seconds?: number
  readonly figures: readonly Figure[]
  readonly curves?: readonly Curve[]
  readonly tables?: readonly Table[]
  /** Context for the figures: durability of each side, missing servers, reduced amounts of data. */
  readonly notes: readonly string[]
}

export interface Benchmark {
  run(settings: RunSettings): Promise<Measurement>
}

/**
 * Measures for 10 s after a warm-up of 10 s: after a shorter one, V8 is still compiling. Quick runs
 * are unchanged.
 */
export function inSteadyState(benchmark: Benchmark): Benchmark {
  const steady = { seconds: 10, warmUpSeconds: 10 }
  return {
    run: async (settings) =>
      settings.isQuick
        ? benchmark.run(settings)
        : { ...(await benchmark.run({ ...settings, ...steady })), seconds: 10 },
  }
}

/** Whether the median reaches the goal. True for a figure without a goal. */
export function isMet({ goal, values }: Pick<Figure, 'goal' | 'values'>): boolean {
  if (goal === undefined) return true
  return 'atLeast' in goal ? median(values) >= goal.atLeast : median(values) <= goal.atMost
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The quantile of the values for a share from 0 to 1, with linear interpolation. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = share * (sorted.length - 1)
  const below = sorted[Math.floor(at)]
  if (below === undefined) return NaN
  return below + (at % 1) * (sorted[Math.ceil(at)]! - below)
}

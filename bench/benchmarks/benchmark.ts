export interface Effort {
  readonly rounds: number
  /** How long each measurement takes. */
  readonly seconds: number
  /** Large things are made small, and what is measured says so. */
  readonly isQuick: boolean
}

/** What a figure is meant to reach. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** One thing that was measured, once a round. */
export interface Figure {
  readonly name: string
  /** As it is written behind the figure, like `calls/s`; empty for a ratio. */
  readonly unit: string
  readonly values: readonly number[]
  readonly goal?: Goal | undefined
}

/** How a figure changes with something else: for a plot. */
export interface Curve {
  /** Of the plot's file. */
  readonly name: string
  readonly title: string
  readonly x: string
  readonly y: string
  readonly points: readonly { readonly x: number; readonly values: readonly number[] }[]
}

export interface Measured {
  readonly figures: readonly Figure[]
  readonly curves?: readonly Curve[]
  /** What a reader has to know to judge the figures: durability of the sides, what was missing, what was scaled down. */
  readonly notes: readonly string[]
}

export interface Benchmark {
  run(effort: Effort): Promise<Measured>
}

/** Whether the median has reached the goal; a figure without one always has. */
export function isMet({ goal, values }: Pick<Figure, 'goal' | 'values'>): boolean {
  if (goal === undefined) return true
  return 'atLeast' in goal ? median(values) >= goal.atLeast : median(values) <= goal.atMost
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The value below which this share of the values lies; between two of them, their mean in proportion. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = share * (sorted.length - 1)
  const below = sorted[Math.floor(at)]
  if (below === undefined) return NaN
  return below + (at % 1) * (sorted[Math.ceil(at)]! - below)
}

import type { AlignedData } from 'uplot'

export interface Series {
  readonly label: string
  /** The colour token without its prefix: `delivered` for `--color-delivered`. */
  readonly color: string
  /** One value for each time. */
  readonly values: readonly (number | null)[]
}

export interface PlotContent {
  /** Milliseconds since the epoch, ascending. The last step is incomplete, so lines to it are dashed. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
  /** `areas` are stacked. */
  readonly form: 'areas' | 'lines'
}

/** Each series without its last value, then the lines from each series' second-to-last value to its last. */
export function plotData({ times, series, form }: PlotContent): AlignedData {
  const lines =
    form === 'lines' ? series.map(({ values }) => values) : stackSeries({ times, series })
  const last = times.length - 1
  return [
    times.map((time) => time / 1_000),
    ...lines.map((line) => line.map((value, at) => (at < last ? value : null))),
    ...lines.map((line) => line.map((value, at) => (at < last - 1 ? null : value))),
  ]
}

function stackSeries({ times, series }: Omit<PlotContent, 'form'>): Series['values'][] {
  const sums = times.map(() => 0)
  const lines = series.map(({ values }) =>
    values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0)
      return sums[at]
    }),
  )
  // An empty series would hide the line below it.
  return lines.map((line, part) => (hasAny(series[part]!) ? line : line.map(() => null)))
}

export function hasAny({ values }: Series): boolean {
  return values.some((value) => (value ?? 0) > 0)
}

/** Values without a neighbour, which a line cannot show. */
export function isolatedIndexes(values: ArrayLike<number | null | undefined>): number[] {
  return Array.from(values).flatMap((value, at) =>
    value != null && values[at - 1] == null && values[at + 1] == null ? [at] : [],
  )
}

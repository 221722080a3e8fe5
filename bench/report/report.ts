import {
  type Figure,
  type Goal,
  type Measurement,
  median,
  type Table,
} from '../benchmarks/benchmark.ts'

/** Formats the median, minimum and maximum of each figure over its rounds. */
export function report(
  name: string,
  { figures, notes, curves = [], tables = [] }: Measurement,
): string {
  const lines = figures.map((figure) => {
    const { name: label, unit, goal } = figure
    const aim = goal === undefined ? '' : `   goal ${formatGoal(goal)}`
    return `  ${label.padEnd(32)} ${spread(figure)} ${unit}${aim}`
  })
  const points = curves.flatMap((curve) =>
    curve.points.map(({ x, values }) => {
      const label = `${x.toLocaleString('en')} ${curve.x}`
      return `  ${label.padEnd(32)} ${spread({ name: '', unit: '', values })} ${curve.y}`
    }),
  )
  return [
    name,
    ...lines,
    ...points,
    ...tables.flatMap(tableLines),
    ...notes.map((note) => `  (${note})`),
  ].join('\n')
}

/** The medians of a table. */
function tableLines({ name, labels, columns, rows }: Table): string[] {
  const lines = rows.map((row) => {
    const medians = row.values.map((values) =>
      (values.length === 0 ? '' : formatSpread(values).median).padStart(9),
    )
    return `    ${row.labels.join(', ').padEnd(60)} ${medians.join(' ')}`
  })
  return [`  ${name}: ${[...labels, ...columns].join('; ')}`, ...lines]
}

export function formatGoal(goal: Goal): string {
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`
}

function spread({ values }: Figure): string {
  const { median: middle, min, max } = formatSpread(values)
  return `${middle.padStart(9)} (${min} – ${max})`
}

/** Median, minimum and maximum, with fewer decimal places the larger the maximum is. */
export function formatSpread(values: readonly number[]): Record<'median' | 'min' | 'max', string> {
  const max = Math.max(...values)
  const digits = max >= 100 ? 0 : max >= 10 ? 1 : 2
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const show = (value: number): string => value.toLocaleString('en', options)
  return { median: show(median(values)), min: show(Math.min(...values)), max: show(max) }
}

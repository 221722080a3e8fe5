import { mkdirSync, writeFileSync } from 'node:fs'
import { type Figure, type Goal, type Measured, median } from './benchmark.ts'
import { machine } from './machine.ts'

/** A benchmark with all that is needed to judge it, as it is kept in bench/results. */
interface Result extends Measured {
  readonly name: string
  readonly machine: string
  readonly command: string
}

/** Each figure as the median of its rounds with the least and the most, for a person to read. */
export function report(name: string, { figures, notes }: Measured): string {
  const lines = figures.map((figure) => {
    const { name: label, unit, goal } = figure
    const aim = goal === undefined ? '' : `   goal ${shownGoal(goal)}`
    return `  ${label.padEnd(32)} ${spread(figure)} ${unit}${aim}`
  })
  return [name, ...lines, ...notes.map((note) => `  (${note})`)].join('\n')
}

export function save(name: string, measured: Measured): void {
  const folder = new URL('results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const result: Result = {
    name,
    machine: machine(),
    command: `npm run bench -- ${name}`,
    ...measured,
    figures: measured.figures.map((each) => ({ ...each, values: each.values.map(rounded) })),
  }
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(result, null, 2)}\n`)
}

function shownGoal(goal: Goal): string {
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`
}

function spread({ values }: Figure): string {
  const most = Math.max(...values)
  const show = (value: number): string => value.toFixed(digitsOf(most))
  return `${show(median(values)).padStart(9)} (${show(Math.min(...values))} – ${show(most)})`
}

function rounded(value: number): number {
  return Number(value.toPrecision(4))
}

/** Three digits that say something, and no more. */
function digitsOf(value: number): number {
  return value >= 100 ? 0 : value >= 10 ? 1 : 2
}

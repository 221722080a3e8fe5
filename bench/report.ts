import { mkdirSync, writeFileSync } from 'node:fs'
import type { Comparison } from './compare.ts'
import { machine } from './machine.ts'

/** Median with least and most, for a person to read. Hookline's side comes first. */
export function report({ name, unit, goal, ownGoal, sides, ratios }: Comparison): string {
  const lines = Object.entries(sides).map(([side, figures], index) => {
    const aim = index === 0 && ownGoal !== undefined ? `   goal ≥ ${ownGoal}` : ''
    const digits = Math.max(...figures) < 100 ? 2 : 0
    return `  ${side.padEnd(28)} ${spread(figures, digits)} ${unit}${aim}`
  })
  return [name, ...lines, `  ${'ratio'.padEnd(28)} ${spread(ratios, 2)}   goal ≥ ${goal}`].join(
    '\n',
  )
}

/** Keeps the comparison with all that is needed to judge it. */
export function save(comparison: Comparison): void {
  const folder = new URL('results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const command = `npm run bench -- ${comparison.name}`
  const kept = { machine: machine(), command, ...comparison }
  writeFileSync(new URL(`${comparison.name}.json`, folder), `${JSON.stringify(kept, null, 2)}\n`)
}

function spread(values: readonly number[], digits: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2
  const show = (value: number): string => value.toFixed(digits)
  return `${show(middle).padStart(8)} (${show(sorted[0]!)} – ${show(sorted.at(-1)!)})`
}

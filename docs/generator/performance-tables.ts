import { median, type Table } from '../../bench/benchmarks/benchmark.ts'
import { shown } from '../../bench/report/report.ts'
import type { Result } from '../../bench/report/results.ts'
import { plain, table } from './markdown.ts'

export function tablesOf({ tables = [] }: Result): readonly string[] {
  return tables.flatMap((each) => [
    `**${plain(each.name)}**`,
    table([...each.labels, ...each.columns].map(plain), each.rows.map(rowOf)),
  ])
}

function rowOf({ labels, values }: Table['rows'][number]): readonly string[] {
  return [...labels, ...values.map(middleOf)].map(plain)
}

/** Empty if a row does not have the figure. */
function middleOf(values: readonly number[]): string {
  return values.length === 0 ? '' : shown(values).middle
}

/** In µs/event. Parts below it, both before and now, are summed up. */
const MIN_SHOWN = 0.5

/** The cost of each part of an event, before and now, for each load in both results. */
export function spentTables(before: Result, now: Result): readonly string[] {
  return (now.tables ?? []).flatMap((each) => {
    const earlier = before.tables?.find(({ name }) => name === each.name)
    if (earlier === undefined) return []
    return [
      `**${plain(each.name)}**, µs/event`,
      table(['thread', 'part', 'before', 'now'], comparedRows(earlier, each)),
    ]
  })
}

interface Compared {
  readonly labels: readonly string[]
  readonly before: number
  readonly now: number
}

/** Rows by thread, the most expensive first, with a sum for each thread and a total. */
function comparedRows(before: Table, now: Table): readonly (readonly string[])[] {
  const parts = compared(before, now)
  const threads = [...new Set(parts.map(({ labels }) => labels[0]!))]
  const rows = threads.flatMap((thread) => {
    const own = parts.filter(({ labels }) => labels[0] === thread)
    const all = { ...sumOf(own), labels: [`**${thread}**`, '**all**'] }
    if (own.length === 1) return [all]
    const isLarge = (each: Compared): boolean => Math.max(each.before, each.now) >= MIN_SHOWN
    const rest = sumOf(own.filter((each) => !isLarge(each)))
    return [all, ...own.filter(isLarge), { ...rest, labels: [thread, 'smaller parts'] }]
  })
  const all = { ...sumOf(parts), labels: ['**all threads**', ''] }
  const notNothing = [all, ...rows].filter((each) => each.before + each.now > 0.05)
  return notNothing.map((each) => [
    ...each.labels.map(plainOrBold),
    each.before.toFixed(1),
    each.now.toFixed(1),
  ])
}

function compared(before: Table, now: Table): readonly Compared[] {
  const [earlier, later] = [mediansOf(before), mediansOf(now)]
  const keys = [...new Set([...earlier.keys(), ...later.keys()])]
  return keys
    .map((key) => ({
      labels: key.split('\n'),
      before: earlier.get(key) ?? 0,
      now: later.get(key) ?? 0,
    }))
    .toSorted((a, b) => b.before - a.before)
}

function mediansOf({ rows }: Table): ReadonlyMap<string, number> {
  return new Map(rows.map(({ labels, values }) => [labels.join('\n'), median(values[0]!)]))
}

function sumOf(parts: readonly Compared[]): Omit<Compared, 'labels'> {
  return {
    before: parts.reduce((sum, each) => sum + each.before, 0),
    now: parts.reduce((sum, each) => sum + each.now, 0),
  }
}

function plainOrBold(label: string): string {
  return label.startsWith('**') ? label : plain(label)
}

import { type Corruption, FILES, KINDS } from './corruption.ts'
import type { Observation } from './trial.ts'
import type { Outcome, Verdict } from './verdict.ts'

/** A tested corruption, with its verdict. */
export interface JudgedCorruption extends Corruption, Verdict {
  readonly index: number
  readonly base: string
  readonly observed: Observation
}

const OUTCOMES: readonly Outcome[] = ['intact', 'loss reported', 'refused', 'down', 'FAILED']

/**
 * Outcomes and lost events for each file and kind of corruption, and a line for each failure. Most of the events counted as
 * "not stored" had already been delivered.
 */
export function table(judged: readonly JudgedCorruption[]): string {
  const head = row(['file', 'kind', 'tried', ...OUTCOMES, 'not sent', 'not stored'])
  const rows = FILES.flatMap((file) =>
    KINDS.map((kind) => {
      const those = judged.filter((each) => each.file === file && each.kind === kind)
      return { file, kind, those }
    }),
  ).filter(({ those }) => those.length > 0)
  const lines = rows.map(({ file, kind, those }) => row([file, kind, ...counts(those)]))
  const failed = judged.filter(({ outcome }) => outcome === 'FAILED').map(line)
  return [head, ...lines, row(['all', '', ...counts(judged)]), ...failed].join('\n')
}

/** One case, with all details needed to reproduce it. */
export function line({ index, base, kind, file, from, to, faults }: JudgedCorruption): string {
  return `case ${index}, base "${base}": ${file}, ${kind}, bytes ${from} to ${to}: ${faults.join('; ')}`
}

function counts(those: readonly JudgedCorruption[]): string[] {
  const of = (outcome: Outcome): number => those.filter((each) => each.outcome === outcome).length
  const sum = (lost: (observed: Observation) => number): number =>
    those.reduce((total, { observed }) => total + lost(observed), 0)
  const losses = [sum(({ lost }) => lost.size), sum(({ missing }) => missing.size)]
  return [those.length, ...OUTCOMES.map(of), ...losses].map((count) =>
    count === 0 ? '.' : String(count),
  )
}

function row(cells: readonly string[]): string {
  const widths = [16, 14, 6, 7, 14, 8, 5, 7, 9, 10]
  return cells.map((cell, index) => cell.padEnd(widths[index]!)).join(' ')
}

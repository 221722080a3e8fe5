import { columnsOf, wordLines } from '../layout/measure.ts'
import type { Output } from './output.ts'
import { printableText } from './safe-text.ts'

const GAP = 2
/** Values are not wrapped to fewer columns than this. */
const MIN_VALUE_COLUMNS = 20

export type Detail = readonly [name: string, value: string]

/** Formats each entry as a line, with values aligned and wrapped. */
export function details(output: Output, lines: readonly (Detail | undefined | false)[]): string {
  const entries = lines.filter((each) => each !== undefined && each !== false)
  const names = Math.max(...entries.map(([name]) => columnsOf(name)))
  const left = Math.max(MIN_VALUE_COLUMNS, output.columns - names - GAP)
  return entries
    .flatMap(([name, value]) => {
      const [first = '', ...more] = wordLines(printableText(value), left)
      const space = ' '.repeat(names - columnsOf(name) + GAP)
      const indent = ' '.repeat(names + GAP)
      return [
        `${output.style('dim', name)}${space}${first}`.trimEnd(),
        ...more.map((line) => indent + line),
      ]
    })
    .join('\n')
}

/** Wraps a line to the screen with a hanging indent. */
export function wrapLine(output: Output, line: string): string {
  const indent = line.length - line.trimStart().length
  const hanging = ' '.repeat(indent + GAP)
  const [first = '', ...more] = wordLines(line.trimStart(), output.columns - indent - GAP)
  return [' '.repeat(indent) + first, ...more.map((each) => hanging + each)].join('\n')
}

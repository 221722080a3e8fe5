import { columnsOf, wordLines } from '../layout/measure.ts'
import type { Output } from './output.ts'
import { printable } from './safe-text.ts'

const GAP = 2
/** Beside a name that leaves less than this, a value is not wrapped. */
const LEAST = 20

/** One line for each entry, its name and its value, with the values aligned and wrapped to the screen. */
export function details(output: Output, entries: readonly (readonly [string, string])[]): string {
  const names = Math.max(...entries.map(([name]) => columnsOf(name)))
  const left = Math.max(LEAST, output.columns - names - GAP)
  return entries
    .flatMap(([name, value]) => {
      const [first = '', ...more] = wordLines(printable(value), left)
      const space = ' '.repeat(names - columnsOf(name) + GAP)
      const indent = ' '.repeat(names + GAP)
      return [
        `${output.style('dim', name)}${space}${first}`.trimEnd(),
        ...more.map((line) => indent + line),
      ]
    })
    .join('\n')
}

/** A line of text, wrapped to the screen. The lines after the first are indented as it is, and by two more. */
export function wrapped(output: Output, line: string): string {
  const indent = line.length - line.trimStart().length
  const hanging = ' '.repeat(indent + GAP)
  const [first = '', ...more] = wordLines(line.trimStart(), output.columns - indent - GAP)
  return [' '.repeat(indent) + first, ...more.map((each) => hanging + each)].join('\n')
}

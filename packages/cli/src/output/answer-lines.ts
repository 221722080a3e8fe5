import { cut, fullLines } from '../layout/measure.ts'
import type { Output } from './output.ts'
import { printable } from './safe-text.ts'

interface Answer {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** More lines of a body tell no more. `--json` has them. */
const MOST_LINES = 12
const INDENT = '      '

/** What a receiver responded to an attempt, as far as it is kept, for people: headers, and the beginning of the body. */
export function answerLines(output: Output, { headers = {}, body = '' }: Answer): string[] {
  const columns = output.columns - INDENT.length - 2
  const heads = Object.entries(headers).map(([name, value]) => printable(`${name}: ${value}`))
  const all = body
    .trimEnd()
    .split(/\r?\n/)
    .flatMap((line) => fullLines(printable(line), columns))
  const more = all.length - MOST_LINES
  const lines = body.trim() === '' ? [] : all.slice(0, MOST_LINES)
  return [
    ...heads.map((head) => `${INDENT}${output.style('dim', cut(head, columns + 2))}`),
    ...lines.map((line) => `${INDENT}${output.style('dim', '│')} ${line}`.trimEnd()),
    ...(more > 0 ? [`${INDENT}${output.style('dim', `│ … ${more} more lines`)}`] : []),
  ]
}

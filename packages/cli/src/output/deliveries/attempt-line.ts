import type { Delivery } from '../../api/generated/management-client.ts'
import { wrapped } from '../details.ts'
import type { Output } from '../output.ts'
import { printable } from '../safe-text.ts'
import { cut, fullLines } from '../../layout/measure.ts'

type ShownAttempt = Pick<
  Delivery['attempts'][number],
  | 'number'
  | 'url'
  | 'startedAt'
  | 'durationMs'
  | 'timing'
  | 'outcome'
  | 'class'
  | 'status'
  | 'error'
  | 'headers'
  | 'body'
>

/** An attempt for people: when, its outcome, how long each step took, and the error; then what the receiver responded. */
export function attemptLines(output: Output, attempt: ShownAttempt): string[] {
  return [attemptLine(output, attempt), ...answerLines(output, attempt)]
}

function attemptLine(output: Output, attempt: ShownAttempt): string {
  const { number, url, startedAt, durationMs, outcome, error } = attempt
  const result = attempt.status === undefined ? attempt.class : `${attempt.status}`
  const colour = outcome === 'delivered' ? 'green' : 'red'
  const why = error === undefined ? '' : ` – ${error}`
  return wrapped(
    output,
    printable(`    ${startedAt} #${number} `) +
      output.style(colour, result) +
      printable(` in ${Math.round(durationMs)} ms${stepsOf(attempt)} ${url}${why}`),
  )
}

/** `(connect 12, tls 30, answer 4)`, if there was more than one step. */
function stepsOf({ timing }: ShownAttempt): string {
  const steps = Object.entries(timing).map(
    ([name, ms]) => `${name.replace(/Ms$/, '')} ${Math.round(ms)}`,
  )
  return steps.length > 1 ? ` (${steps.join(', ')})` : ''
}

interface Answer {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** More lines of a body tell no more. `--json` has them. */
const MOST_LINES = 12
const INDENT = '      '

/** What a receiver responded to an attempt, as far as it is kept, for people: headers, and the beginning of the body. */
function answerLines(output: Output, { headers = {}, body = '' }: Answer): string[] {
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

import type { Delivery } from '../../api/generated/management-client.ts'
import { wrapLine } from '../details.ts'
import { countText } from '../figures.ts'
import type { Output } from '../output.ts'
import { printableText } from '../safe-text.ts'
import { cutText, fullLines } from '../../layout/measure.ts'

type ShownAttempt = Omit<Delivery['attempts'][number], 'id'>

export function attemptLines(output: Output, attempt: ShownAttempt): string[] {
  return [attemptLine(output, attempt), ...responseLines(output, attempt)]
}

function attemptLine(output: Output, attempt: ShownAttempt): string {
  const { number, url, startedAt, durationMs, outcome, error } = attempt
  const result = attempt.status === undefined ? attempt.class : `${attempt.status}`
  const colour = outcomeColour(outcome)
  const why = error === undefined ? '' : ` – ${error}`
  return wrapLine(
    output,
    printableText(`    ${startedAt} #${number} `) +
      output.style(colour, result) +
      printableText(` in ${Math.round(durationMs)} ms${stepsOf(attempt)} ${url}${why}`),
  )
}

/** `(connect 12, tls 30, response 4)`, if there was more than one step. */
function stepsOf({ timing }: ShownAttempt): string {
  const steps = Object.entries(timing).map(
    ([name, ms]) => `${name.replace(/Ms$/, '')} ${Math.round(ms)}`,
  )
  return steps.length > 1 ? ` (${steps.join(', ')})` : ''
}

/** The maximum number of lines shown of a response body. `--json` includes all of the stored body. */
const MAX_LINES = 12
const INDENT = '      '

function responseLines(output: Output, { headers = {}, body = '' }: ShownAttempt): string[] {
  const columns = output.columns - INDENT.length - 2
  const heads = Object.entries(headers).map(([name, value]) => printableText(`${name}: ${value}`))
  const all = body
    .trimEnd()
    .split(/\r?\n/)
    .flatMap((line) => fullLines(printableText(line), columns))
  const more = all.length - MAX_LINES
  const lines = body.trim() === '' ? [] : all.slice(0, MAX_LINES)
  return [
    ...heads.map((head) => `${INDENT}${output.style('dim', cutText(head, columns + 2))}`),
    ...lines.map((line) => `${INDENT}${output.style('dim', '│')} ${line}`.trimEnd()),
    ...(more > 0 ? [`${INDENT}${output.style('dim', `│ … ${countText(more, 'more line')}`)}`] : []),
  ]
}

/** The colour of an attempt's outcome. */
export function outcomeColour(outcome: string): 'green' | 'dim' | 'red' {
  if (outcome === 'declined') return 'dim'
  return outcome === 'delivered' ? 'green' : 'red'
}

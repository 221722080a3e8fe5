import type { Delivery } from '../../api/generated/management-client.ts'
import { answerLines } from '../answer-lines.ts'
import { wrapped } from '../details.ts'
import type { Output } from '../output.ts'
import { printable } from '../safe-text.ts'

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

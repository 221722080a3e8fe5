import type { Delivery } from '../api/generated/management-client.ts'
import type { Output } from './output.ts'
import { printable } from './printable.ts'

type Line = Pick<
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
>

/** An attempt in one line, for people: when, what came of it, how long each step took, why. */
export function attemptLine(output: Output, attempt: Line): string {
  const { number, url, startedAt, durationMs, outcome, error } = attempt
  const result = attempt.status === undefined ? attempt.class : `${attempt.status}`
  const colour = outcome === 'delivered' ? 'green' : 'red'
  const why = error === undefined ? '' : ` – ${error}`
  return (
    printable(`    ${startedAt} #${number} `) +
    output.style(colour, result) +
    printable(` in ${Math.round(durationMs)} ms${stepsOf(attempt)} ${url}${why}`)
  )
}

/** `(connect 12, tls 30, answer 4)`, where there was more than waiting for the answer. */
function stepsOf({ timing }: Line): string {
  const steps = Object.entries(timing).map(
    ([name, ms]) => `${name.replace(/Ms$/, '')} ${Math.round(ms)}`,
  )
  return steps.length > 1 ? ` (${steps.join(', ')})` : ''
}

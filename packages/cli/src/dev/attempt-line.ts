import type { Output } from '../output/output.ts'
import { eventCells } from '../output/event-cells.ts'
import { summaryOf } from '../output/event-summary.ts'
import { printable } from '../output/printable.ts'
import type { FedAttempt } from './delivery-feed.ts'

/** The attempt as `--json` shows it; the shape is stable, `null` is "not there". */
export function attemptDocument({ delivery, attempt, event }: FedAttempt): object {
  return {
    kind: 'attempt',
    at: attempt.startedAt,
    ...summaryOf(event),
    messageId: event['messageId'],
    webhookId: delivery.id,
    attempt: attempt.number,
    url: attempt.url,
    outcome: attempt.outcome,
    class: attempt.class,
    status: attempt.status ?? null,
    error: attempt.error ?? null,
    durationMs: attempt.durationMs,
    nextAttemptAt: delivery.nextAttemptAt,
  }
}

/** One attempt in one line: when, what, whose, and what came of it. */
export function attemptLine(output: Output, { delivery, attempt, event }: FedAttempt): string {
  const { number, startedAt, durationMs, outcome, status, error } = attempt
  const result = `${status ?? attempt.class} in ${Math.round(durationMs)} ms`
  const next = delivery.nextAttemptAt
  return [
    ...eventCells(output, startedAt, summaryOf(event)),
    output.style(outcome === 'delivered' ? 'green' : 'red', result),
    ...(number > 1 ? [`attempt ${number}`] : []),
    ...(error === undefined ? [] : [printable(error)]),
    ...(next === null ? [] : [`again at ${next.slice(11, 19)}`]),
  ].join('  ')
}

import { eventCells, summaryOf } from '../output/events/event-summary.ts'
import type { Output } from '../output/output.ts'
import { printable } from '../output/safe-text.ts'
import type { WatchedAttempt } from './attempt-watcher.ts'

/** The attempt in the form of `--json`. Programs rely on its fields; `null` means absent. */
export function watchedAttemptDocument({ delivery, attempt, event }: WatchedAttempt): object {
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

/** The attempt in one line: when, which event of which user, and the outcome. */
export function watchedAttemptLine(
  output: Output,
  { delivery, attempt, event }: WatchedAttempt,
): string {
  const { number, startedAt, durationMs, outcome, status, error } = attempt
  const result = `${status ?? attempt.class} in ${Math.round(durationMs)} ms`
  const next = delivery.nextAttemptAt
  return [
    ...eventCells(output, startedAt, summaryOf(event)),
    output.style(outcome === 'delivered' ? 'green' : 'red', result),
    ...(number > 1 ? [`attempt ${number}`] : []),
    ...(error === undefined ? [] : [printable(error)]),
    ...(next === null ? [] : [`next attempt at ${next.slice(11, 19)}`]),
  ].join('  ')
}

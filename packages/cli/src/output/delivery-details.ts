import type { Delivery } from '../api/generated/management-client.ts'
import type { Output } from './output.ts'
import { partLines } from './part-lines.ts'
import { details, table } from './table.ts'

type Attempt = Delivery['attempts'][number]

/** A delivery for people: what became of it at each webhook, and its attempts. */
export function deliveryDetails(output: Output, delivery: Delivery): string {
  const { webhooks, attempts, quarantine } = delivery
  const facts = details(output, [
    ['id', delivery.id],
    ['event', delivery.eventId],
    ['destination', delivery.destinationId],
    ['state', delivery.state],
    ['next attempt', delivery.nextAttemptAt ?? 'none'],
    ...(quarantine === undefined
      ? []
      : [['in quarantine', `since ${quarantine.at}: ${quarantine.reason}`] as const]),
  ])
  const parts = webhooks.flatMap((part) => partLines(output, part, delivery))
  return [
    facts,
    ...(parts.length === 0 ? [] : [parts.join('\n')]),
    ...(attempts.length === 0 ? [] : [table(output, COLUMNS, attempts)]),
  ].join('\n\n')
}

const COLUMNS = [
  { head: 'started', cell: ({ startedAt }: Attempt) => startedAt },
  { head: 'outcome', cell: ({ outcome }: Attempt) => outcome },
  { head: 'class', cell: (attempt: Attempt) => attempt.class },
  { head: 'status', cell: ({ status }: Attempt) => `${status ?? ''}` },
  { head: 'ms', cell: ({ durationMs }: Attempt) => `${Math.round(durationMs)}` },
  { head: 'webhook', cell: ({ url }: Attempt) => url },
]

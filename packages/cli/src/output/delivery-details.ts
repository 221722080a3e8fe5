import type { Delivery } from '../api/generated/management-client.ts'
import type { Output } from './output.ts'
import { details, table } from './table.ts'

type Attempt = Delivery['attempts'][number]

/** A delivery with its attempts, for people. */
export function deliveryDetails(output: Output, delivery: Delivery): string {
  const facts = details(output, [
    ['id', delivery.id],
    ['event', delivery.eventId],
    ['destination', delivery.destinationId],
    ['state', delivery.state],
    ['next attempt', delivery.nextAttemptAt ?? 'none'],
  ])
  if (delivery.attempts.length === 0) return facts
  return `${facts}\n\n${table(output, COLUMNS, delivery.attempts)}`
}

const COLUMNS = [
  { head: 'started', cell: ({ startedAt }: Attempt) => startedAt },
  { head: 'outcome', cell: ({ outcome }: Attempt) => outcome },
  { head: 'class', cell: (attempt: Attempt) => attempt.class },
  { head: 'status', cell: ({ status }: Attempt) => `${status ?? ''}` },
  { head: 'ms', cell: ({ durationMs }: Attempt) => `${Math.round(durationMs)}` },
  { head: 'webhook', cell: ({ url }: Attempt) => url },
]

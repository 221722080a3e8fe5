import type { DeliveryShown } from '../api/resources.ts'
import type { Output } from './output.ts'
import { sheet, table } from './table.ts'

type AttemptShown = DeliveryShown['attempts'][number]

/** A delivery with its attempts, for people. */
export function deliverySheet(output: Output, delivery: DeliveryShown): string {
  const facts = sheet(output, [
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
  { head: 'started', cell: ({ startedAt }: AttemptShown) => startedAt },
  { head: 'outcome', cell: ({ outcome }: AttemptShown) => outcome },
  { head: 'class', cell: (attempt: AttemptShown) => attempt.class },
  { head: 'status', cell: ({ status }: AttemptShown) => `${status ?? ''}` },
  { head: 'ms', cell: ({ durationMs }: AttemptShown) => `${Math.round(durationMs)}` },
  { head: 'webhook', cell: ({ url }: AttemptShown) => url },
]

import type { Delivery } from '../../api/generated/management-client.ts'
import type { Output } from '../output.ts'
import { printable } from '../safe-text.ts'

type Part = Delivery['webhooks'][number]
type Waiting = NonNullable<Part['waiting']>
type Ids = Pick<Delivery, 'id' | 'destinationId'>

/** What became of a delivery at one webhook, for people. Of one that waits: why, since when, and until when. */
export function partLines(output: Output, part: Part, delivery: Ids): string[] {
  const { url, state, waiting } = part
  const head = `${printable(url)} ${output.style(COLOURS[state], STATES[state])}`
  if (waiting === null) return [head]
  const { since, nextAttemptAt } = waiting
  const next =
    nextAttemptAt === null ? 'no next attempt yet' : `next attempt ${output.time(nextAttemptAt)}`
  const remedy = REMEDIES[waiting.reason](delivery)
  return [
    `${head}: ${causeOf(part, waiting)}`,
    `  since ${output.time(since)}, ${next}`,
    ...(remedy === '' ? [] : [`  ${remedy}`]),
  ]
}

function causeOf({ last }: Part, { reason }: Waiting): string {
  const cause = CAUSES[reason]
  return reason === 'retry' && last ? `${cause} (${last.status ?? last.class})` : cause
}

const STATES: Readonly<Record<Part['state'], string>> = {
  pending: 'pending',
  held: 'held',
  delivered: 'delivered',
  rejected: 'rejected',
  expired: 'expired',
  not_retried: 'not retried, because another webhook has the event',
  removed: 'removed before it took the event',
}

const COLOURS = {
  pending: 'yellow',
  held: 'yellow',
  delivered: 'green',
  rejected: 'red',
  expired: 'red',
  not_retried: 'dim',
  removed: 'dim',
} as const satisfies Record<Part['state'], string>

const CAUSES: Readonly<Record<Waiting['reason'], string>> = {
  in_flight: 'the request is under way',
  in_line: 'it is due, and waits for its turn',
  retry: 'the last attempt failed',
  retry_after: 'the receiver asked for a pause with Retry-After',
  breaker_open: 'its breaker is open, because too many attempts failed',
  webhook_paused: 'the webhook is paused',
  webhook_gone:
    'the webhook is paused, because its receiver responded with 410 three times in a row',
  url_forbidden: 'the webhook is paused, because allowedNetworks or allowedPorts forbids its URL',
  destination_paused: 'the destination is paused',
  destination_disabled: 'the destination is disabled',
}

/** The command that ends the wait; empty if there is none. */
const REMEDIES: Readonly<Record<Waiting['reason'], (delivery: Ids) => string>> = {
  in_flight: () => '',
  in_line: () => '',
  retry: ({ id }) => `\`hookline deliveries retry ${id}\` makes it now`,
  retry_after: ({ destinationId }) => closeBreaker(destinationId),
  breaker_open: ({ destinationId }) => closeBreaker(destinationId),
  webhook_paused: ({ destinationId }) => resume(destinationId),
  webhook_gone: ({ destinationId }) => resume(destinationId),
  url_forbidden: ({ destinationId }) =>
    `correct the URL and use \`hookline destinations resume ${destinationId}\`, or change the settings and restart Hookline`,
  destination_paused: ({ destinationId }) => resume(destinationId),
  destination_disabled: ({ destinationId }) =>
    `\`hookline destinations enable ${destinationId}\` enables it`,
}

function resume(destinationId: string): string {
  return `\`hookline destinations resume ${destinationId}\` resumes it`
}

function closeBreaker(destinationId: string): string {
  return `\`hookline destinations close-breaker ${destinationId}\` makes it now`
}

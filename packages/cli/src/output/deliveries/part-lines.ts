import type { Delivery } from '../../api/generated/management-client.ts'
import type { Output } from '../output.ts'
import { printableText } from '../safe-text.ts'

type Part = Delivery['webhooks'][number]
type PendingPart = NonNullable<Part['waiting']>
type Ids = Pick<Delivery, 'id' | 'destinationId'>

/** The state of a delivery at one webhook; while it is pending, with the cause, times and remedy. */
export function partLines(output: Output, part: Part, delivery: Ids): string[] {
  const { url, state, waiting } = part
  const head = `${printableText(url)} ${output.style(COLOURS[state], STATES[state])}`
  if (waiting === null) return [head]
  const { since, nextAttemptAt } = waiting
  const next =
    nextAttemptAt === null ? 'no attempt scheduled' : `next attempt ${output.time(nextAttemptAt)}`
  const remedy = REMEDIES[waiting.reason]?.(delivery)
  return [
    `${head}: ${causeOf(part, waiting)}`,
    `  since ${output.time(since)}, ${next}`,
    ...(remedy === undefined ? [] : [`  ${remedy}`]),
  ]
}

function causeOf({ lastAttempt }: Part, { reason }: PendingPart): string {
  const cause = CAUSES[reason]
  return reason === 'retry' && lastAttempt
    ? `${cause} (${lastAttempt.status ?? lastAttempt.class})`
    : cause
}

const STATES: Readonly<Record<Part['state'], string>> = {
  pending: 'pending',
  held: 'held',
  delivered: 'delivered',
  declined: 'declined: the transform returned nothing',
  rejected: 'rejected',
  expired: 'expired',
  not_retried: 'not retried: another webhook accepted the event',
  removed: 'removed before delivery',
}

const COLOURS = {
  pending: 'yellow',
  held: 'yellow',
  delivered: 'green',
  declined: 'dim',
  rejected: 'red',
  expired: 'red',
  not_retried: 'dim',
  removed: 'dim',
} as const satisfies Record<Part['state'], string>

const CAUSES: Readonly<Record<PendingPart['reason'], string>> = {
  in_flight: 'request in progress',
  queued: 'due, queued',
  retry: 'the last attempt failed',
  retry_after: 'the receiver sent Retry-After, or the token request failed',
  breaker_open: 'breaker open after too many failed attempts',
  webhook_paused: 'the webhook is paused',
  webhook_gone: 'webhook paused after three 410 responses in a row',
  disabled_by_receiver: 'webhook paused by the response header webhook-delivery: disable',
  url_forbidden: 'webhook paused: address or port not in allowedNetworks or allowedPorts',
  destination_paused: 'the destination is paused',
  destination_disabled: 'the destination is disabled',
}

const REMEDIES: Readonly<Partial<Record<PendingPart['reason'], (delivery: Ids) => string>>> = {
  retry: ({ id }) => `Retry now: hookline deliveries retry ${id}`,
  retry_after: ({ destinationId }) => closeBreaker(destinationId),
  breaker_open: ({ destinationId }) => closeBreaker(destinationId),
  webhook_paused: ({ destinationId }) => resume(destinationId),
  webhook_gone: ({ destinationId }) =>
    `Correct the URL, remove the webhook, or run \`hookline destinations resume ${destinationId}\`.`,
  disabled_by_receiver: ({ destinationId }) =>
    `Ask the owner of the receiver, then run \`hookline destinations resume ${destinationId}\`, or remove the webhook.`,
  url_forbidden: () => 'Correct the URL, or change the settings and restart.',
  destination_paused: ({ destinationId }) => resume(destinationId),
  destination_disabled: ({ destinationId }) =>
    `Enable it: hookline destinations enable ${destinationId}`,
}

function resume(destinationId: string): string {
  return `Resume it: hookline destinations resume ${destinationId}`
}

function closeBreaker(destinationId: string): string {
  return `Retry now: hookline destinations close-breaker ${destinationId}`
}

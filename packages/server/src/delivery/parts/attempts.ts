import {
  type Attempt,
  type Delivery,
  type DeliveryContent,
  type Destination,
  newId,
  type SuccessPolicy,
  type Webhook,
} from '@hookline/protocol'
import type { Clock } from '../../util/time/clock.ts'
import type { WebhookHealth } from '../health/webhook-health.ts'
import type { OpenDelivery } from '../lanes/open-delivery.ts'
import { AttemptAborted } from '../network/network-errors.ts'
import { afterAttempt, partOf, type RetrySchedule } from './parts.ts'
import { requestTo, type WebhookRequest } from '../sending/webhook-request.ts'
import { type AttemptResult, classifyFault } from '../sending/outcome.ts'
import type { SendOptions } from '../sending/sender.ts'

/** Sends one request: `WebhookSender`, or the simulated network of the simulator. */
export interface Sender {
  /** @throws {AttemptAborted} if the service stopped before a response arrived */
  send(request: WebhookRequest, options?: SendOptions): Promise<AttemptResult>
}

export interface CompletedAttempt {
  readonly before: Delivery
  readonly after: Delivery
  readonly attempt: Attempt
  /** When it began, on the monotonic clock. */
  readonly begunAt: number
  readonly breaker: 'opened' | 'closed' | undefined
  readonly fault?: unknown
}

export interface AttemptsOptions {
  readonly clock: Clock
  readonly sender: Sender
  readonly schedule: RetrySchedule
  readonly health: WebhookHealth
  readonly successPolicy?: SuccessPolicy | undefined
}

/** Makes attempts: sends one delivery to one webhook, and decides the state of its part from the response. */
export class Attempts {
  readonly #options: AttemptsOptions

  constructor(options: AttemptsOptions) {
    this.#options = options
  }

  /** Makes one attempt and updates the delivery. A bug rejects this part. `undefined`, without a change, if it was aborted. */
  async make(
    open: OpenDelivery,
    { id: destinationId, settings }: Destination,
    webhook: Webhook,
  ): Promise<CompletedAttempt | undefined> {
    const { clock, health, schedule, sender } = this.#options
    const { url } = webhook
    const { replayId } = open.delivery
    const generation = health.onAttempt(destinationId, url)
    const [begunAt, startedAt] = [clock.now(), clock.wall()]
    const number = nextNumber(open.delivery, url)
    let ended: AttemptResult & { readonly fault?: unknown }
    try {
      const request = nextRequest(open.delivery, open.event, webhook, { settings, now: startedAt })
      ended = await sender.send(request, {
        // The response to a successful attempt is not stored.
        isSuccessShown: false,
        onWritten: () => health.onWritten(destinationId, url, begunAt),
      })
    } catch (fault) {
      if (fault instanceof AttemptAborted) return undefined
      // The message of the error may contain secrets.
      const kind = fault instanceof Error ? fault.name : typeof fault
      const error = `A bug in Hookline stopped the attempt (${kind}). See the log for details.`
      ended = { startedAt, durationMs: clock.now() - begunAt, ...classifyFault(), error, fault }
    }
    const { fault, retryAfterMs, ...result } = ended
    const id = newId('att', result.startedAt)
    const attempt: Attempt = { id, number, url, ...result }
    const kept = replayId === undefined ? attempt : { ...attempt, replayId }
    const answered = retryAfterMs === undefined ? kept : { ...kept, retryAfterMs }
    // One time for both, so that a part that waits for `Retry-After` is due when the pause ends.
    const now = clock.now()
    const breaker = health.onResult(destinationId, answered, { generation, now })
    // Read and changed in one step: other parts of the delivery may end at any time.
    const before = open.delivery
    open.delivery = afterAttempt(before, answered, {
      successPolicy: this.#options.successPolicy ?? settings.successPolicy,
      schedule,
      now,
      random: Math.random(),
    })
    return { before, after: open.delivery, attempt: kept, begunAt, breaker, fault }
  }
}

export function nextRequest(
  delivery: Delivery,
  { body, sourceId }: Pick<DeliveryContent, 'body' | 'sourceId'>,
  webhook: Webhook,
  { settings, now }: { readonly settings: Destination['settings']; readonly now: number },
): WebhookRequest {
  const { id: deliveryId, replayId } = delivery
  const attempt = nextNumber(delivery, webhook.url)
  const carried = { body, sourceId, deliveryId, attempt, replayId }
  return requestTo(webhook, settings, carried, now)
}

function nextNumber(delivery: Delivery, url: string): number {
  return 1 + (partOf(delivery, url)?.last?.number ?? 0)
}

import {
  type Carried,
  type Destination,
  newId,
  type Webhook,
  webhookPayload,
} from '@hookline/protocol'
import type { Clock } from '../../util/clock.ts'
import type { Sender } from './attempt-round.ts'
import { deliveryId } from './delivery-id.ts'
import type { AttemptResult } from '../sending/outcome.ts'
import { requestHeaders, requestTo, type WebhookRequest } from '../sending/webhook-request.ts'

/** What was, or would be, sent to one webhook, and what came of it. */
export interface Trial {
  readonly url: string
  /** As they are sent, but with the values of static headers hidden. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** `null` where nothing was sent. */
  readonly result: AttemptResult | null
}

const HIDDEN = '[hidden]'

/**
 * Sends something to all webhooks of a destination to see what they answer: by the way of every attempt,
 * with its address guard and deadline, whether the destination is on or not. Nothing of it is recorded,
 * retried, or held against a webhook.
 */
export class Trials {
  readonly #sender: Sender
  readonly #clock: Clock

  constructor({ sender, clock }: { readonly sender: Sender; readonly clock: Clock }) {
    this.#sender = sender
    this.#clock = clock
  }

  /** An event that is there has the `webhook-id` it always has; a sample a new one. */
  async run(
    destination: Destination,
    { id, event }: Carried | { readonly id: null; readonly event: Carried['event'] },
    { dryRun }: { readonly dryRun: boolean },
  ): Promise<{ readonly deliveryId: string; readonly webhooks: readonly Trial[] }> {
    const now = this.#clock.now()
    const messageId = id === null ? newId('msg', now) : deliveryId(id, destination.id)
    const body = webhookPayload(event)
    const carried = { body, deliveryId: messageId, attempt: 1 }
    const webhooks = await Promise.all(
      destination.settings.webhooks.map(async (webhook) => {
        const request = requestTo(webhook, destination.settings, carried, now)
        const result = dryRun ? null : await this.#sender.send(request)
        return trialOf(webhook, request, result, now)
      }),
    )
    return { deliveryId: messageId, webhooks }
  }
}

function trialOf(
  { url, headers }: Webhook,
  request: WebhookRequest,
  result: AttemptResult | null,
  now: number,
): Trial {
  // The same bytes again: they depend on nothing but the request and the time it began.
  const sent = requestHeaders(request, result?.startedAt ?? now)
  const shown = Object.entries(sent).map(([name, value]) => [
    name,
    Object.hasOwn(headers, name) ? HIDDEN : value,
  ])
  return { url, headers: Object.fromEntries(shown), body: request.body, result }
}

import {
  type Carried,
  type Destination,
  newId,
  type TestDelivery,
  type TestedWebhook,
} from '@hookline/protocol'
import { textOf } from '../../backend/accepted-event.ts'
import type { Clock } from '../../util/time/clock.ts'
import type { Sender } from './attempts.ts'
import type { AttemptResult } from '../sending/outcome.ts'
import {
  deliveryId,
  requestTo,
  shownRequestHeaders,
  type WebhookRequest,
} from '../sending/webhook-request.ts'

/**
 * Makes test deliveries: sends one payload to all webhooks of a destination as every attempt is sent, with
 * the same address guard and deadline, even if the destination is disabled. The result is not recorded and
 * not retried, and does not count for the health of a webhook.
 */
export class TestDeliverySender {
  readonly #sender: Sender
  readonly #clock: Clock

  constructor({ sender, clock }: { readonly sender: Sender; readonly clock: Clock }) {
    this.#sender = sender
    this.#clock = clock
  }

  /** An archived event keeps the `webhook-id` of its delivery; a sample gets a new one. */
  async run(
    destination: Destination,
    { id, body }: Pick<Carried, 'body'> & { readonly id: string | null },
    { dryRun }: { readonly dryRun: boolean },
  ): Promise<TestDelivery> {
    const now = this.#clock.wall()
    const messageId = id === null ? newId('msg', now) : deliveryId(id, destination.id)
    const carried = { body, deliveryId: messageId, attempt: 1 }
    const webhooks = await Promise.all(
      destination.settings.webhooks.map(async (webhook) => {
        const request = requestTo(webhook, destination.settings, carried, now)
        const result = dryRun ? null : await this.#sender.send(request)
        return testedWebhook(request, result, now)
      }),
    )
    return { deliveryId: messageId, webhooks }
  }
}

function testedWebhook(
  request: WebhookRequest,
  result: AttemptResult | null,
  now: number,
): TestedWebhook {
  const { url, body } = request
  // These are the bytes that were sent: they depend only on the request and the time it began.
  const headers = shownRequestHeaders(request, result?.startedAt ?? now)
  return { url, headers, body: textOf(body), result }
}

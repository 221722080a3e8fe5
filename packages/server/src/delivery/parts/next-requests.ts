import {
  type Carried,
  type Delivery,
  type Destination,
  type NextRequest,
  type Webhook,
} from '@hookline/protocol'
import { textOf } from '../../backend/accepted-event.ts'
import { curlCommand } from '../sending/curl-command.ts'
import { shownRequestHeaders } from '../sending/shown-headers.ts'
import { requestTo, type WebhookRequest } from '../sending/webhook-request.ts'
import { partOf } from './parts.ts'

/** The number of the next attempt of a delivery on a webhook. */
export function nextNumber(delivery: Delivery, url: string): number {
  return 1 + (partOf(delivery, url)?.last?.number ?? 0)
}

/** The request of the next attempt of a delivery on a webhook. */
export function nextRequest(
  delivery: Delivery,
  { body }: Pick<Carried, 'body'>,
  webhook: Webhook,
  { settings, now }: { readonly settings: Destination['settings']; readonly now: number },
): WebhookRequest {
  const { id: deliveryId, replayId } = delivery
  const attempt = nextNumber(delivery, webhook.url)
  const carried = { body, deliveryId, attempt, replayId }
  return requestTo(webhook, settings, carried, now)
}

/** The requests that the delivery would make now, one to each webhook of its destination, as people see them. */
export function nextRequests(
  delivery: Delivery,
  event: Pick<Carried, 'body'>,
  { settings }: Destination,
  now: number,
): NextRequest[] {
  return settings.webhooks.map((webhook) => {
    const request = nextRequest(delivery, event, webhook, { settings, now })
    const { url } = request
    const body = textOf(request.body)
    const headers = shownRequestHeaders(request, now)
    const toFillIn = shownRequestHeaders(request, now, (name) => `<value of ${name}>`)
    return { url, headers, body, curl: curlCommand(url, body, toFillIn) }
  })
}

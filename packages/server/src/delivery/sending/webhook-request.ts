import { idFrom, timeOfId, type Webhook, type WebhooksSettings } from '@hookline/protocol'
import { standardSignature, xSignature } from '@hookline/protocol/signature'
import { hash } from 'node:crypto'

/** The request of one attempt: one delivery to one webhook. */
export interface WebhookRequest {
  /** As the WHATWG URL parser serialises it. */
  readonly url: string
  /** Static headers. Their values are secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** Signed and sent unchanged. */
  readonly body: Uint8Array
  /** `msg_…`, sent as `webhook-id`. */
  readonly deliveryId: string
  /** The number of this attempt on the webhook, from 1. */
  readonly attempt: number
  /** `null`: the request is not signed. */
  readonly sharedSecret: string | null
  /** Signs the request, too, while receivers change to the new shared secret. */
  readonly previousSecret?: string | undefined
  /** `rpl_…`, sent as `X-Hookline-Replay`. */
  readonly replayId?: string | undefined
}

/** The request to one webhook of a destination with these settings at `now`. */
export function requestTo(
  { url, headers }: Webhook,
  { sharedSecret, previousSecret }: WebhooksSettings,
  carried: Pick<WebhookRequest, 'body' | 'deliveryId' | 'attempt' | 'replayId'>,
  now: number,
): WebhookRequest {
  const isOverlap = previousSecret !== undefined && now < previousSecret.until
  const request = { url, headers, ...carried, sharedSecret }
  return isOverlap ? { ...request, previousSecret: previousSecret.secret } : request
}

/** The headers of an attempt (spec 02 §The request). Hookline's own headers override static ones of the same name. */
export function requestHeaders(request: WebhookRequest, nowMs: number): Record<string, string> {
  const { body, deliveryId: id, sharedSecret, previousSecret, replayId } = request
  const timestamp = Math.floor(nowMs / 1000)
  const own: Record<string, string> = {
    'User-Agent': 'Hookline/1.0',
    'Content-Type': 'application/json',
    'Accept-Encoding': 'identity',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'X-Hookline-Attempt': String(request.attempt),
    ...(replayId !== undefined && { 'X-Hookline-Replay': replayId }),
    ...(sharedSecret !== null && {
      'X-Signature': xSignature(sharedSecret, body),
      'webhook-signature': [sharedSecret, previousSecret]
        .filter((secret) => secret !== undefined)
        .map((secret) => standardSignature(secret, id, timestamp, body))
        .join(' '),
    }),
  }
  if (Object.keys(request.headers).length === 0) return own
  const reserved = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  const others = Object.entries(request.headers).filter(
    ([name]) => !reserved.has(name.toLowerCase()),
  )
  return { ...Object.fromEntries(others), ...own }
}

/**
 * The id of the delivery of an event to a destination. It is the `webhook-id` of every attempt. It depends on the two
 * ids only, so an attempt that is repeated after a crash has the same id, and the receiver can recognise it. It begins
 * with the time of the event.
 */
export function deliveryId(eventId: string, destinationId: string): string {
  const digest = hash('sha256', `${eventId}/${destinationId}`, 'buffer')
  return idFrom('msg', timeOfId(eventId), digest)
}

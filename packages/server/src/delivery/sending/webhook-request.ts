import type { Webhook, WebhooksSettings } from '@hookline/protocol'
import { standardSignature, xSignature } from '@hookline/protocol/signature'

/** One delivery to one webhook, about to be tried. */
export interface WebhookRequest {
  /** As WHATWG URL parsing gives it. */
  readonly url: string
  /** Static headers. Values are secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** Signed and sent as it is. */
  readonly body: string
  /** `msg_…`, sent as `webhook-id`. */
  readonly deliveryId: string
  /** Which attempt on this webhook it is, from 1. */
  readonly attempt: number
  /** `null`: not signed. */
  readonly sharedSecret: string | null
  /** Signs as well, while receivers change over to the shared secret. */
  readonly previousSecret?: string | undefined
  /** `rpl_…`, sent as `X-Hookline-Replay`. */
  readonly replayId?: string | undefined
}

/** The request to one webhook of a destination with these settings, at this time. */
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

/** The headers of an attempt (spec: the request). Where a static header has the name of one of ours, ours stands. */
export function requestHeaders(request: WebhookRequest, nowMs: number): Record<string, string> {
  const { body, deliveryId, sharedSecret, previousSecret, replayId } = request
  const timestamp = Math.floor(nowMs / 1000)
  const own: Record<string, string> = {
    'User-Agent': 'Hookline/1.0',
    'Content-Type': 'application/json',
    'Accept-Encoding': 'identity',
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestamp),
    'X-Hookline-Attempt': String(request.attempt),
    ...(replayId !== undefined && { 'X-Hookline-Replay': replayId }),
    ...(sharedSecret !== null && {
      'X-Signature': xSignature(sharedSecret, body),
      'webhook-signature': [sharedSecret, previousSecret]
        .filter((secret) => secret !== undefined)
        .map((secret) => standardSignature(secret, deliveryId, timestamp, body))
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

import { formatTimestamp, isId, isJsonObject, type Json, timeOfId } from '@hookline/protocol'
import type { IncomingHttpHeaders } from 'node:http'
import type { SignatureCheck } from '@hookline/protocol/check-signature'

/** The `--json` output for a received request; `null` means absent. */
export interface ReceivedDelivery {
  readonly kind: 'delivery'
  readonly at: string
  readonly type: string | null
  /** The name of the event, page or screen. */
  readonly name: string | null
  readonly userId: string | null
  readonly anonymousId: string | null
  readonly messageId: string | null
  /** `webhook-id`: the same on every attempt. */
  readonly webhookId: string | null
  readonly attempt: number | null
  readonly signature: SignatureCheck
  /** The time since the service received the event. */
  readonly sinceReceiptMs: number | null
  readonly responseStatus: number
  /** The payload; a string if it is not JSON. */
  readonly body: Json
}

export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export function receivedDelivery(
  request: ReceivedRequest,
  context: {
    readonly signature: SignatureCheck
    readonly nowMs: number
    readonly responseStatus: number
  },
): ReceivedDelivery {
  const { signature, nowMs, responseStatus } = context
  const body = parseBody(request.body)
  const field = (name: string) => {
    const value = isJsonObject(body) && Object.hasOwn(body, name) ? body[name] : undefined
    return typeof value === 'string' ? value : null
  }
  const webhookId = headerOf(request, 'webhook-id')
  const attempt = headerOf(request, 'x-hookline-attempt')
  return {
    kind: 'delivery',
    at: formatTimestamp(nowMs),
    type: field('type'),
    name: field('event') ?? field('name'),
    userId: field('userId') ?? field('User ID'),
    anonymousId: field('anonymousId'),
    messageId: field('messageId'),
    webhookId,
    attempt: attempt === null ? null : Number(attempt),
    signature,
    // The id of a delivery starts with the time of its event.
    sinceReceiptMs:
      webhookId !== null && isId('msg', webhookId) ? nowMs - timeOfId(webhookId) : null,
    responseStatus,
    body,
  }
}

function headerOf({ headers }: ReceivedRequest, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}

function parseBody(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

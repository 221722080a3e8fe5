import { type Destination, INSPECTOR_URL } from '@hookline/protocol'
import { checkSignature, type SignatureCheck } from '@hookline/protocol/check-signature'
import type { IncomingHttpHeaders } from 'node:http'

/** The verdict of the inspector on the signatures of a request. */
export interface Signature extends Pick<SignatureCheck, 'xSignature' | 'webhookSignature'> {
  readonly verdict: 'valid' | 'invalid' | 'missing'
  /** Why it is not valid, in a sentence; `null` if it is. */
  readonly reason: string | null
}

interface SignedRequest {
  /** With the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Whether the signatures of a request are valid, and the destination that made them, if only one can have. */
export interface CheckedSender {
  readonly signature: Signature
  readonly destinationId: string | null
}

/**
 * Checks a request in the way the documentation tells receivers to, with the shared secrets of the destinations that have
 * its URL as a webhook. While a destination changes its secret, the previous one is also valid.
 */
export function signatureOf(
  request: SignedRequest,
  destinations: Iterable<Destination>,
  nowMs: number,
): CheckedSender {
  const url = INSPECTOR_URL.slice(0, -1) + request.path
  const senders = sendersAt(url, destinations, request.headers['x-signature'] !== undefined)
  const checks = senders.flatMap((sender) =>
    secretsOf(sender, nowMs).map((secret) => ({
      sender,
      check: checkSignature(request, secret, nowMs),
    })),
  )
  const right = checks.filter(({ check }) => check.verdict === 'ok')
  const { check } = right[0] ??
    checks.find(({ check: { xSignature } }) => xSignature === 'ok') ??
    checks[0] ?? { check: checkSignature(request, undefined, nowMs) }
  const reason = right.length > 0 ? null : reasonFor(check, senders, url)
  const { xSignature, webhookSignature } = check
  return {
    signature: { verdict: verdictOf(check), reason, xSignature, webhookSignature },
    destinationId: onlyIdOf(right.length > 0 ? right.map(({ sender }) => sender) : senders),
  }
}

/** The destinations with this webhook that sign their requests if this one is signed, and else the destinations that do not. */
function sendersAt(url: string, all: Iterable<Destination>, isSigned: boolean): Destination[] {
  const senders = [...all].filter(({ settings }) =>
    settings.webhooks.some((webhook) => webhook.url === url),
  )
  const alike = senders.filter(({ settings }) => (settings.sharedSecret !== null) === isSigned)
  return alike.length > 0 ? alike : senders
}

function secretsOf({ settings }: Destination, nowMs: number): string[] {
  const { sharedSecret, previousSecret } = settings
  return [
    ...(sharedSecret === null ? [] : [sharedSecret]),
    ...(previousSecret !== undefined && nowMs < previousSecret.until
      ? [previousSecret.secret]
      : []),
  ]
}

function verdictOf({ verdict }: SignatureCheck): Signature['verdict'] {
  if (verdict === 'ok') return 'valid'
  return verdict === 'missing' || verdict === 'unsigned' ? 'missing' : 'invalid'
}

function reasonFor(
  { verdict, xSignature, webhookSignature }: SignatureCheck,
  senders: readonly Destination[],
  url: string,
): string {
  if (senders.length === 0) return `No destination has the webhook ${url} at the moment.`
  if (verdict === 'unsigned')
    return 'The destination has no shared secret, so its requests are not signed.'
  if (verdict === 'missing') return 'The request has no X-Signature.'
  if (verdict === 'unchecked')
    return 'The request is signed, but the destination has no shared secret at the moment.'
  if (webhookSignature === 'stale')
    return 'webhook-timestamp is more than five minutes from now: the request is a repeated one, or a clock is wrong.'
  const wrong = [
    ...(xSignature === 'wrong' ? ['X-Signature'] : []),
    ...(webhookSignature === 'wrong' ? ['webhook-signature'] : []),
  ]
  return `The shared secret of the destination does not make this ${wrong.join(' and this ')}: the secret or the body is another one.`
}

/** The id of the destination, if it is the only one. */
function onlyIdOf(destinations: readonly Destination[]): string | null {
  const [first, ...others] = new Set(destinations.map(({ id }) => id))
  return first !== undefined && others.length === 0 ? first : null
}

import { standardSignature, xSignature } from '@hookline/protocol/signature'
import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** How far the clocks of sender and receiver may be apart (Standard Webhooks: replay attacks). */
const TOLERANCE_SECONDS = 5 * 60

/** What one signature came to. `stale`: right, but made too long ago. */
type SchemeVerdict = 'ok' | 'wrong' | 'stale' | 'missing'

export interface SignatureCheck {
  /**
   * - `ok`: X-Signature is right, and so is webhook-signature where there is one;
   * - `wrong`: one of them is not; `missing`: there is no X-Signature;
   * - `unchecked`: signed, but this receiver knows no shared secret; `unsigned`: neither.
   */
  readonly verdict: 'ok' | 'wrong' | 'missing' | 'unchecked' | 'unsigned'
  readonly xSignature: SchemeVerdict | 'unchecked'
  readonly webhookSignature: SchemeVerdict | 'unchecked'
}

interface SignedRequest {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Checks what signs a request as its receivers are told to: over the body parsed and serialised again. */
export function checkSignature(
  request: SignedRequest,
  sharedSecret: string | undefined,
  nowMs: number,
): SignatureCheck {
  if (sharedSecret === undefined) return withoutSecret(request)
  const ours = checkXSignature(request, sharedSecret)
  const standard = checkStandard(request, sharedSecret, nowMs)
  const isRight = ours === 'ok' && (standard === 'ok' || standard === 'missing')
  return {
    verdict: isRight ? 'ok' : ours === 'missing' ? 'missing' : 'wrong',
    xSignature: ours,
    webhookSignature: standard,
  }
}

function withoutSecret({ headers }: SignedRequest): SignatureCheck {
  const schemeOf = (name: string) => (headers[name] === undefined ? 'missing' : 'unchecked')
  return {
    verdict: headers['x-signature'] === undefined ? 'unsigned' : 'unchecked',
    xSignature: schemeOf('x-signature'),
    webhookSignature: schemeOf('webhook-signature'),
  }
}

/** X-Signature: hex HMAC-SHA1 of the body, parsed and serialised again (requirement §Authentication). */
function checkXSignature({ headers, body }: SignedRequest, sharedSecret: string): SchemeVerdict {
  const given = headers['x-signature']
  if (typeof given !== 'string') return 'missing'
  return isEqual(given, xSignature(sharedSecret, reserialised(body))) ? 'ok' : 'wrong'
}

/** webhook-signature: a list of signatures, one of which must be right (Standard Webhooks 1.0.0). */
function checkStandard(
  { headers, body }: SignedRequest,
  sharedSecret: string,
  nowMs: number,
): SchemeVerdict {
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures,
  } = headers
  if (typeof signatures !== 'string') return 'missing'
  const expected = standardSignature(sharedSecret, String(id), Number(timestamp), body)
  if (!signatures.split(' ').some((given) => isEqual(given, expected))) return 'wrong'
  return Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_SECONDS ? 'stale' : 'ok'
}

function reserialised(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body))
  } catch {
    return body
  }
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

import { standardSignature, xSignature } from './signature.ts'
import { timingSafeEqual } from 'node:crypto'

/** The maximum accepted difference between timestamp and clock, against replay attacks (Standard Webhooks). */
const TOLERANCE_SECONDS = 5 * 60

/** The result for one signature. `stale`: correct, but its timestamp is outside the tolerance. */
type SchemeVerdict = 'valid' | 'invalid' | 'stale' | 'missing'

export interface SignatureCheck {
  /**
   * - `valid`: X-Signature is correct, and so is webhook-signature, if present;
   * - `invalid`: one of them is not; `missing`: there is no X-Signature;
   * - `unchecked`: signed, but this receiver has no shared secret; `unsigned`: not signed, and no shared secret.
   */
  readonly verdict: 'valid' | 'invalid' | 'missing' | 'unchecked' | 'unsigned'
  readonly xSignature: SchemeVerdict | 'unchecked'
  readonly webhookSignature: SchemeVerdict | 'unchecked'
}

interface SignedRequest {
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

/** Checks the signatures of a request as the documentation recommends to receivers. */
export function checkSignature(
  request: SignedRequest,
  sharedSecret: string | undefined,
  nowMs: number,
): SignatureCheck {
  if (sharedSecret === undefined) return withoutSecret(request)
  const ours = checkXSignature(request, sharedSecret)
  const standard = checkStandard(request, sharedSecret, nowMs)
  const isCorrect = ours === 'valid' && (standard === 'valid' || standard === 'missing')
  return {
    verdict: isCorrect ? 'valid' : ours === 'missing' ? 'missing' : 'invalid',
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

/** X-Signature: hex HMAC-SHA1 of the body, parsed and serialised again. */
function checkXSignature({ headers, body }: SignedRequest, sharedSecret: string): SchemeVerdict {
  const signature = headers['x-signature']
  if (typeof signature !== 'string') return 'missing'
  return isEqual(signature, xSignature(sharedSecret, reserialised(body))) ? 'valid' : 'invalid'
}

/** webhook-signature: a list of signatures; one of them must be correct (Standard Webhooks 1.0.0). */
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
  if (!signatures.split(' ').some((signature) => isEqual(signature, expected))) return 'invalid'
  return Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_SECONDS ? 'stale' : 'valid'
}

function reserialised(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body))
  } catch {
    return body
  }
}

function isEqual(signature: string, expected: string): boolean {
  const [a, b] = [Buffer.from(signature), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

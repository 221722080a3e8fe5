import { ed25519Verifier, isMeantAsKey } from './ed25519.ts'
import { standardSignature, xSignature } from './signature.ts'
import { timingSafeEqual } from 'node:crypto'

/** The maximum accepted difference between timestamp and clock, to prevent replay attacks (Standard Webhooks). */
const TOLERANCE_SECONDS = 5 * 60

/** Hookline sends at most 4: two secrets and two keys. Anyone can send more. */
const MAX_SIGNATURES = 10

/** The result for one signature. `stale`: correct, but its timestamp is outside the tolerance. */
type SchemeVerdict = 'valid' | 'invalid' | 'stale' | 'missing'

export interface SignatureCheck {
  /**
   * - `valid`: X-Signature is correct, and so is webhook-signature, if present. With a public key, only the latter counts;
   * - `invalid`: a signature is incorrect, or its timestamp is too old or too new;
   * - `missing`: there is no X-Signature or, with a public key, no webhook-signature;
   * - `unchecked`: signed, but this receiver has no secret or public key;
   * - `unsigned`: not signed, and this receiver has no secret or public key.
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

/**
 * Checks the signatures of a request, for the inspector and the test receiver.
 * @param key the secret, or a public key `whpk_…`
 */
export function checkSignature(
  request: SignedRequest,
  key: string | undefined,
  nowMs: number,
): SignatureCheck {
  if (key === undefined || key === '') return withoutKey(request)
  const standard = checkStandard(request, key, nowMs)
  if (isMeantAsKey(key)) return withPublicKey(request, standard)
  const ours = checkXSignature(request, key)
  const isCorrect = ours === 'valid' && (standard === 'valid' || standard === 'missing')
  return {
    verdict: isCorrect ? 'valid' : ours === 'missing' ? 'missing' : 'invalid',
    xSignature: ours,
    webhookSignature: standard,
  }
}

/** A public key cannot verify X-Signature. */
function withPublicKey({ headers }: SignedRequest, standard: SchemeVerdict): SignatureCheck {
  return {
    verdict: standard === 'stale' ? 'invalid' : standard,
    xSignature: headers['x-signature'] === undefined ? 'missing' : 'unchecked',
    webhookSignature: standard,
  }
}

function withoutKey({ headers }: SignedRequest): SignatureCheck {
  const verdictOf = (name: string) => (headers[name] === undefined ? 'missing' : 'unchecked')
  const verdicts = {
    xSignature: verdictOf('x-signature'),
    webhookSignature: verdictOf('webhook-signature'),
  } as const
  const isSigned = Object.values(verdicts).includes('unchecked')
  return { verdict: isSigned ? 'unchecked' : 'unsigned', ...verdicts }
}

/** X-Signature: hex HMAC-SHA1 of the body, which is parsed and serialised again if it is JSON. */
function checkXSignature({ headers, body }: SignedRequest, sharedSecret: string): SchemeVerdict {
  const signature = headers['x-signature']
  if (typeof signature !== 'string') return 'missing'
  return isEqual(signature, xSignature(sharedSecret, reserialise(body))) ? 'valid' : 'invalid'
}

/** webhook-signature: a list of signatures; one of them must be correct (Standard Webhooks 1.0.0). */
function checkStandard(
  { headers, body }: SignedRequest,
  key: string,
  nowMs: number,
): SchemeVerdict {
  const signatures = headers['webhook-signature']
  if (typeof signatures !== 'string') return 'missing'
  const id = String(headers['webhook-id'])
  const timestamp = Number(headers['webhook-timestamp'])
  if (!signatures.split(' ', MAX_SIGNATURES).some(verifierOf(key, id, timestamp, body)))
    return 'invalid'
  return Math.abs(nowMs / 1000 - timestamp) > TOLERANCE_SECONDS ? 'stale' : 'valid'
}

function verifierOf(key: string, id: string, timestamp: number, body: string) {
  if (isMeantAsKey(key)) return ed25519Verifier(key, { id, timestamp, body: Buffer.from(body) })
  const expected = standardSignature(key, id, timestamp, body)
  return (signature: string): boolean => isEqual(signature, expected)
}

function reserialise(body: string): string {
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

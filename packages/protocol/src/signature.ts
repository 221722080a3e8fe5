import { createHmac } from 'node:crypto'

/** `X-Signature`: lower-case hex HMAC-SHA1 of the body, keyed with the shared secret as UTF-8 (requirement §Authentication). */
export function xSignature(sharedSecret: string, body: string): string {
  return createHmac('sha1', sharedSecret).update(body).digest('hex')
}

/**
 * `webhook-signature`: `v1,` and base64 HMAC-SHA256 of `id.timestamp.body` (Standard Webhooks 1.0.0).
 * The key is the decoded base64 of a secret `whsec_…`, as in that specification, and the UTF-8 of any other secret.
 */
export function standardSignature(
  sharedSecret: string,
  id: string,
  timestamp: number,
  body: string,
): string {
  const hmac = createHmac('sha256', standardKey(sharedSecret))
  return `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

function standardKey(sharedSecret: string): Buffer {
  const prefix = 'whsec_'
  return sharedSecret.startsWith(prefix)
    ? Buffer.from(sharedSecret.slice(prefix.length), 'base64')
    : Buffer.from(sharedSecret)
}

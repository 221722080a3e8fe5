import { createHmac } from 'node:crypto'

/** `X-Signature`: lower-case hex HMAC-SHA1 of the body, keyed with the shared secret as UTF-8 (requirement §Authentication). */
export function xSignature(sharedSecret: string, body: string): string {
  return createHmac('sha1', sharedSecret).update(body, 'utf8').digest('hex')
}

/**
 * `webhook-signature`: `v1,` and base64 HMAC-SHA256 of `id.timestamp.body` (Standard Webhooks 1.0.0).
 * A secret `whsec_…` is the base64 of the key, as that specification has it; any other is taken as UTF-8.
 * @param timestamp unix seconds of the attempt
 */
export function standardSignature(
  sharedSecret: string,
  id: string,
  timestamp: number,
  body: string,
): string {
  const signed = createHmac('sha256', standardKey(sharedSecret))
    .update(`${id}.${timestamp}.${body}`, 'utf8')
    .digest('base64')
  return `v1,${signed}`
}

// A text stays a text: Node turns a key given as bytes into a KeyObject each time, which costs five digests.
function standardKey(sharedSecret: string): string | Buffer {
  const prefix = 'whsec_'
  return sharedSecret.startsWith(prefix)
    ? Buffer.from(sharedSecret.slice(prefix.length), 'base64')
    : sharedSecret
}

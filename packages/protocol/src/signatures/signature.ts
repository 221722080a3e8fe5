import { hmac } from './hmac.ts'

/** `X-Signature`: lower-case hex HMAC-SHA1 of the body, keyed with the shared secret as UTF-8. */
export function xSignature(sharedSecret: string, body: string | Uint8Array): string {
  return hmac('sha1', Buffer.from(sharedSecret), ['', body], 'hex')
}

/**
 * `webhook-signature`: `v1,` and base64 HMAC-SHA256 of `id.timestamp.body` (Standard Webhooks 1.0.0).
 * The key is the decoded base64 of a secret `whsec_…`, as in that specification, and the UTF-8 of any other secret.
 * @param timestamp unix seconds of the attempt
 */
export function standardSignature(
  sharedSecret: string,
  id: string,
  timestamp: number,
  body: string | Uint8Array,
): string {
  const signed = [`${id}.${timestamp}.`, body] as const
  return `v1,${hmac('sha256', keyBytes(sharedSecret), signed, 'base64')}`
}

/** The key of `webhook-signature`. */
export function keyBytes(sharedSecret: string): Buffer {
  const prefix = 'whsec_'
  return sharedSecret.startsWith(prefix)
    ? Buffer.from(sharedSecret.slice(prefix.length), 'base64')
    : Buffer.from(sharedSecret)
}

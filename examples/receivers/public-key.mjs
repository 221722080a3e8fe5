import { createPublicKey, verify } from 'node:crypto'

const TOLERANCE_SECONDS = 5 * 60

/** publicKey: begins with whpk_ */
export function isSigned(publicKey, headers, body) {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp'] ?? ''
  if (!id || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const bytes = Buffer.from(publicKey.replace('whpk_', ''), 'base64')
  if (bytes.length !== 32) return false
  const x = bytes.toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])
  return (headers['webhook-signature'] ?? '')
    .split(' ', 10)
    .filter((each) => each.startsWith('v1a,'))
    .some((each) => verify(null, signed, key, Buffer.from(each.slice(4), 'base64')))
}

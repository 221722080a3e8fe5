import { createHmac, hkdfSync } from 'node:crypto'
import { decrypt, encrypt } from '../../util/secrets/secret-box.ts'
import type { Redacted } from '../../util/secrets/redacted.ts'

/** Encrypts `text` with a key made from `credential` and `label`: nobody can read it without both. */
export function seal(text: string, credential: Redacted, label: string): string {
  return encrypt(text, keyOf(credential, label)).toString('base64')
}

/**
 * Decrypts what `seal` returned.
 * @throws if credential or label is a different one, or the text was altered
 */
export function unseal(sealed: string, credential: Redacted, label: string): string {
  return decrypt(Buffer.from(sealed, 'base64'), keyOf(credential, label))
}

/** A hash of `text` that reveals nothing about it without `credential` (HMAC-SHA-256). */
export function fingerprint(text: string, credential: Redacted): string {
  return createHmac('sha256', credential.reveal()).update(text).digest('hex')
}

function keyOf(credential: Redacted, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', credential.reveal(), label, 'hookline sealed text', 32))
}

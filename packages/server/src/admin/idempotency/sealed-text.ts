import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { Redacted } from '../../util/redacted.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts `text` so that only who has `credential` can read it, and only as what `label` names (AES-256-GCM). */
export function seal(text: string, credential: Redacted, label: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(credential, label), nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** What `seal` was given. @throws where credential or label are others, or the text was altered */
export function unseal(sealed: string, credential: Redacted, label: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', keyOf(credential, label), nonce)
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}

/** Tells `text` from any other to who has `credential`, and nothing to who has not. */
export function fingerprint(text: string, credential: Redacted): string {
  return createHmac('sha256', credential.reveal()).update(text).digest('hex')
}

function keyOf(credential: Redacted, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', credential.reveal(), label, 'hookline sealed text', 32))
}

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const OPTIONS = { authTagLength: 16 }

/**
 * Encrypts `text` with AES-256-GCM (NIST SP 800-38D) under a random nonce. The result is nonce, tag and
 * ciphertext, in this order. Databases keep this form: it must not change.
 * @param key 32 bytes
 * @param label authenticated but not part of the result: `decrypt` needs the same one
 */
export function encrypt(text: string, key: Uint8Array, label = ''): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, OPTIONS)
  cipher.setAAD(Buffer.from(label))
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext])
}

/**
 * Decrypts what `encrypt` returned.
 * @throws if the key or the label is a different one, or the bytes were altered
 */
export function decrypt(bytes: Uint8Array, key: Uint8Array, label = ''): string {
  const tagEnd = NONCE_BYTES + OPTIONS.authTagLength
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), OPTIONS)
  decipher.setAAD(Buffer.from(label))
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd))
  const text = decipher.update(bytes.subarray(tagEnd))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const KEY_BYTES = 32
const KEY_ID_CHARACTERS = 16

/** A sealed text cannot be opened: unknown key, different label, or altered text. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError'
}

/**
 * Encrypts with AES-256-GCM. The first key seals, any key opens. A sealed text includes the id of its key, and opens
 * only with its label.
 */
export class SecretBox {
  /** Id of the sealing key: the beginning of its SHA-256. */
  readonly keyId: string
  readonly #keys: ReadonlyMap<string, Buffer>

  /** @param keys at least one, of 32 bytes each */
  constructor(keys: readonly Buffer[]) {
    this.#keys = new Map(keys.map((key) => [idOf(key), key]))
    this.keyId = idOf(keys[0]!)
  }

  /** A random key for `keysIn`. */
  static newKey(): string {
    return randomBytes(KEY_BYTES).toString('base64')
  }

  /** Keys separated by commas or whitespace, 32 bytes each, as base64 or hex. `undefined` if any is invalid. */
  static keysIn(text: string): readonly Buffer[] | undefined {
    const keys = text
      .split(/[\s,]+/)
      .filter((part) => part !== '')
      .map(keyOf)
    return keys.length > 0 && keys.every((key) => key !== undefined) ? keys : undefined
  }

  static keyIdOf(sealed: string): string {
    return sealed.split('.', 1)[0]!
  }

  /** The keys, for another thread. */
  get keys(): readonly Buffer[] {
    return [...this.#keys.values()]
  }

  has(keyId: string): boolean {
    return this.#keys.has(keyId)
  }

  seal(text: string, label: string): string {
    const bytes = encrypt(text, this.#keys.get(this.keyId)!, label)
    return `${this.keyId}.${bytes.toString('base64url')}`
  }

  /** @throws {SecretBoxError} if the key is missing, the label is a different one, or the text was altered */
  open(sealed: string, label: string): string {
    const keyId = SecretBox.keyIdOf(sealed)
    const key = this.#keys.get(keyId)
    if (key === undefined) throw new SecretBoxError(`Key ${keyId} is missing.`)
    const bytes = Buffer.from(sealed.slice(keyId.length + 1), 'base64url')
    try {
      return decrypt(bytes, key, label)
    } catch (cause) {
      throw new SecretBoxError(`Cannot open the text sealed under ${label}.`, { cause })
    }
  }
}

function idOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, KEY_ID_CHARACTERS)
}

function keyOf(text: string): Buffer | undefined {
  const isHex = /^[0-9a-f]{64}$/i.test(text)
  // Buffer.from skips characters that are not base64.
  const isBase64 = /^[\w+/-]{43}=?$/.test(text)
  if (!isHex && !isBase64) return undefined
  return Buffer.from(text, isHex ? 'hex' : 'base64')
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const OPTIONS = { authTagLength: 16 }

/** Returns nonce, tag and ciphertext of AES-256-GCM (NIST SP 800-38D) with a 32-byte key; authenticates `label`. */
export function encrypt(text: string, key: Uint8Array, label = ''): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, OPTIONS)
  cipher.setAAD(Buffer.from(label))
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext])
}

/** @throws if the key or the label differs, or the bytes were altered */
export function decrypt(bytes: Uint8Array, key: Uint8Array, label = ''): string {
  const tagEnd = NONCE_BYTES + OPTIONS.authTagLength
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), OPTIONS)
  decipher.setAAD(Buffer.from(label))
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd))
  const text = decipher.update(bytes.subarray(tagEnd))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_ID_CHARACTERS = 16

/** A key that is not in the box, or a text that it did not seal so. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError'
}

/**
 * Seals texts with AES-256-GCM. Several keys may open, the first one seals: so a key is changed by putting
 * a new one in front. What is sealed begins with the id of its key, and opens under the label only that it
 * was sealed under.
 */
export class SecretBox {
  /** Of the key that seals: the beginning of its SHA-256, which tells nothing of it. */
  readonly keyId: string
  readonly #keys: ReadonlyMap<string, Buffer>

  /** @param keys at least one, of 32 bytes each */
  constructor(keys: readonly Buffer[]) {
    this.#keys = new Map(keys.map((key) => [idOf(key), key]))
    this.keyId = idOf(keys[0]!)
  }

  /** A new key, as `keysIn` reads it. */
  static newKey(): string {
    return randomBytes(KEY_BYTES).toString('base64')
  }

  /**
   * The keys a text names, separated by commas or white space: 32 bytes each, as base64 or hex.
   * `undefined` where it names none, or something else.
   */
  static keysIn(text: string): readonly Buffer[] | undefined {
    const keys = text
      .split(/[\s,]+/)
      .filter((part) => part !== '')
      .map(keyOf)
    return keys.length > 0 && keys.every((key) => key !== undefined) ? keys : undefined
  }

  /** The id of the key that a text was sealed with. */
  static keyIdOf(sealed: string): string {
    return sealed.split('.', 1)[0]!
  }

  has(keyId: string): boolean {
    return this.#keys.has(keyId)
  }

  seal(text: string, label: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#keys.get(this.keyId)!, nonce)
    cipher.setAAD(Buffer.from(label))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    const bytes = Buffer.concat([nonce, cipher.getAuthTag(), sealed])
    return `${this.keyId}.${bytes.toString('base64url')}`
  }

  /** @throws {SecretBoxError} where the key is not here, the label is another one, or the text was altered */
  open(sealed: string, label: string): string {
    const keyId = SecretBox.keyIdOf(sealed)
    const key = this.#keys.get(keyId)
    if (key === undefined) throw new SecretBoxError(`There is no key ${keyId} here.`)
    const bytes = Buffer.from(sealed.slice(keyId.length + 1), 'base64url')
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
      decipher.setAAD(Buffer.from(label))
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    } catch (cause) {
      throw new SecretBoxError(`What is sealed under ${label} cannot be opened.`, { cause })
    }
  }
}

function idOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, KEY_ID_CHARACTERS)
}

function keyOf(text: string): Buffer | undefined {
  const isHex = /^[0-9a-f]{64}$/i.test(text)
  // Buffer.from passes over what is no base64: only what it gives back in the same length was all of it.
  const isBase64 = /^[\w+/-]{43}=?$/.test(text)
  if (!isHex && !isBase64) return undefined
  return Buffer.from(text, isHex ? 'hex' : 'base64')
}

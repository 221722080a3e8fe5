import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import type { OwnKeys } from '../backend/own-keys.ts'

/** A document with a signature that proves who wrote it. */
export interface SignedReceipt<T extends object> {
  readonly receipt: T
  readonly signature: {
    readonly algorithm: 'Ed25519'
    /** The public key, SPKI in DER, as base64. */
    readonly publicKey: string
    /** Over `JSON.stringify(receipt)` as UTF-8, as base64. */
    readonly value: string
  }
}

/**
 * Signs receipts with a key of the service, which is made at first use. With the public key, a receipt can be verified without
 * this service: parse the document, and serialise `receipt` again.
 */
export class ReceiptSigner {
  readonly #keys: OwnKeys
  #key: KeyObject | undefined

  constructor(keys: OwnKeys) {
    this.#keys = keys
  }

  /** @throws {BackendUnavailable} */
  async sign<T extends object>(document: T): Promise<SignedReceipt<T>> {
    // The text that a verifier serialises again, without values that JSON leaves out.
    const text = JSON.stringify(document)
    const key = (this.#key ??= createPrivateKey(await this.#keys.keyOf('receipts', newKey)))
    const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' })
    const value = sign(null, Buffer.from(text), key)
    return {
      receipt: JSON.parse(text) as T,
      signature: {
        algorithm: 'Ed25519',
        publicKey: publicKey.toString('base64'),
        value: value.toString('base64'),
      },
    }
  }
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' })).trim()
}

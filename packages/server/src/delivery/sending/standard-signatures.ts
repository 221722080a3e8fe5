import type { Signers, SigningKey } from '@hookline/protocol'
import { ed25519Signature } from '@hookline/protocol/ed25519'
import { standardSignature } from '@hookline/protocol/signature'

interface SignedRequest extends Signers {
  readonly body: Uint8Array
  readonly deliveryId: string
}

/** The signatures in `webhook-signature`: of the secrets, then of the keys. */
export function standardSignatures(request: SignedRequest, timestamp: number): string[] {
  const { body, deliveryId: id, sharedSecret, previousSecret, signingKeys = [] } = request
  const secrets = [sharedSecret, previousSecret].filter((secret) => typeof secret === 'string')
  return [
    ...secrets.map((secret) => standardSignature(secret, id, timestamp, body)),
    ...signingKeys.map((key) => signedOnce(key, id, timestamp, body)),
  ]
}

/** The webhooks of a destination share the body of an event. It leaves memory before it could collect many timestamps. */
const signatures = new WeakMap<Uint8Array, Map<string, string>>()

/** Signs each event once per timestamp and key, because an Ed25519 signature costs far more than an HMAC. */
function signedOnce(key: SigningKey, id: string, timestamp: number, body: Uint8Array): string {
  const known = signatures.get(body) ?? new Map<string, string>()
  signatures.set(body, known)
  const name = `${id}.${timestamp}.${key.privateKey}`
  const signature = known.get(name) ?? ed25519Signature(key, id, timestamp, body)
  known.set(name, signature)
  return signature
}

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import type { SigningKey } from '../destination.ts'

const PRIVATE = 'whsk_'
const PUBLIC = 'whpk_'
const KEY_BYTES = 32

/** A random key: `whsk_` and the base64 of the private and the public half, 32 bytes each. */
export function newPrivateKey(): string {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const halves = [d, x].map((half = '') => Buffer.from(half, 'base64url'))
  return PRIVATE + Buffer.concat(halves).toString('base64')
}

/** Whether the text has the format of `newPrivateKey`, and its public half matches its private half. */
export function isPrivateKey(text: string): boolean {
  const bytes = bytesIn(text, PRIVATE)
  if (bytes?.length !== 2 * KEY_BYTES) return false
  const { x } = createPublicKey(importPrivate(text)).export({ format: 'jwk' })
  return x === bytes.toString('base64url', KEY_BYTES)
}

/** `whpk_` and the base64 of the public half. */
export function publicKeyOf(privateKey: string): string {
  const bytes = Buffer.from(privateKey.slice(PRIVATE.length), 'base64')
  return PUBLIC + bytes.toString('base64', KEY_BYTES)
}

/**
 * Whether the text is meant as a public or private key, even if it is quoted or in upper case. A public key is known to
 * others, so it must not be used as a secret.
 */
export function isMeantAsKey(text: string): boolean {
  return /^\W*wh[ps]k_/i.test(text)
}

const imported = new WeakMap<SigningKey, KeyObject>()

/** `v1a,` and the base64 of the Ed25519 signature of `id.timestamp.body` (Standard Webhooks 1.0.0). */
export function ed25519Signature(
  key: SigningKey,
  id: string,
  timestamp: number,
  body: Uint8Array,
): string {
  const keyObject = imported.get(key) ?? importPrivate(key.privateKey)
  imported.set(key, keyObject)
  return `v1a,${sign(null, signedBytes(id, timestamp, body), keyObject).toString('base64')}`
}

/** Returns a function that verifies `v1a,…` signatures of `id.timestamp.body` with this `whpk_…` key. */
export function ed25519Verifier(
  publicKey: string,
  { id, timestamp, body }: { id: string; timestamp: number; body: Uint8Array },
): (signature: string) => boolean {
  const x = bytesIn(publicKey.trim(), PUBLIC)
  if (x?.length !== KEY_BYTES) return () => false
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') }
  const keyObject = createPublicKey({ key: jwk, format: 'jwk' })
  const signed = signedBytes(id, timestamp, body)
  return (signature) =>
    signature.startsWith('v1a,') &&
    verify(null, signed, keyObject, Buffer.from(signature.slice('v1a,'.length), 'base64'))
}

function signedBytes(id: string, timestamp: number, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])
}

function importPrivate(privateKey: string): KeyObject {
  const bytes = Buffer.from(privateKey.slice(PRIVATE.length), 'base64')
  const [d, x] = [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)]
  const halves = { d: d.toString('base64url'), x: x.toString('base64url') }
  return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', ...halves }, format: 'jwk' })
}

/** The bytes after the prefix; `undefined` if the text has another prefix, or is not canonical base64. */
function bytesIn(text: string, prefix: string): Buffer | undefined {
  if (!text.startsWith(prefix)) return undefined
  const base64 = text.slice(prefix.length)
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? bytes : undefined
}

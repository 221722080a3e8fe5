/** The headers of a request: a `Headers`, or the `headers` object of a Node request. */
export type RequestHeaders =
  Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** The maximum difference between `webhook-timestamp` and now. Default: 5 minutes. */
  readonly toleranceMs?: number | undefined
  /** Refuses requests with only `X-Signature`, which does not cover a timestamp. */
  readonly requireStandard?: boolean | undefined
  /** Milliseconds since the epoch. Default: now. */
  readonly nowMs?: number | undefined
}

const TOLERANCE_MS = 5 * 60_000
const BASE64_PREFIX = 'whsec_'
const PUBLIC_PREFIX = 'whpk_'
const HMAC_SHA1 = { name: 'HMAC', hash: 'SHA-1' } as const
const HMAC_SHA256 = { name: 'HMAC', hash: 'SHA-256' } as const
const MEANT_AS_KEY = /^\W*wh[ps]k_/i
/** Hookline sends at most 4: two secrets and two keys. Anyone can send more, and each costs time. */
const MAX_SIGNATURES = 10

/**
 * Whether a request was signed with the secret, or with the private key that belongs to a public key `whpk_…`. Checks
 * `webhook-signature` (Standard Webhooks) if the request has that header, and `X-Signature` otherwise. Await it: a promise
 * is always truthy.
 * @param rawBody the body as received, before any parsing
 * @param secret one secret or public key, or several during a rotation
 */
export async function verifySignature(
  rawBody: string | Uint8Array,
  headers: RequestHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<boolean> {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new TypeError('verifySignature requires the raw body, not a parsed one')
  }
  // A page without https has no WebCrypto, and a browser must not have the secret anyway.
  if (!crypto.subtle)
    throw new TypeError('verifySignature requires Web Crypto: call it on your server')
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length === 0 || secrets.includes(''))
    throw new TypeError('the secret or the public key is empty')
  // If a public key were used as a secret, anyone could sign requests with it.
  if (secrets.some((each) => MEANT_AS_KEY.test(each) && !each.startsWith(PUBLIC_PREFIX)))
    throw new TypeError(`a public key must begin with ${PUBLIC_PREFIX}`)
  const body = typeof rawBody === 'string' ? utf8(rawBody) : new Uint8Array(rawBody)
  const request = { body, headers }
  const isStandard = options.requireStandard || headerOf(headers, 'webhook-signature') !== undefined
  const checks = secrets.map((each) =>
    isStandard ? hasStandardSignature(request, each, options) : hasXSignature(request, each),
  )
  return (await Promise.all(checks)).includes(true)
}

type Bytes = Uint8Array<ArrayBuffer>

interface SignedRequest {
  readonly body: Bytes
  readonly headers: RequestHeaders
}

/** Hex HMAC-SHA1 of the body, which a public key cannot verify. */
async function hasXSignature({ body, headers }: SignedRequest, secret: string): Promise<boolean> {
  if (secret.startsWith(PUBLIC_PREFIX)) return false
  const hex = headerOf(headers, 'x-signature') ?? ''
  if (!/^[\da-f]{40}$/i.test(hex)) return false
  const signature = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  const isValid = await verifierOf(HMAC_SHA1, utf8(secret), body)
  return isValid(signature)
}

/** `v1,` and base64 HMAC-SHA256, or `v1a,` and base64 Ed25519, of `id.timestamp.body`. One valid signature is enough. */
async function hasStandardSignature(
  { body, headers }: SignedRequest,
  secret: string,
  { toleranceMs = TOLERANCE_MS, nowMs = Date.now() }: VerifyOptions,
): Promise<boolean> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp') ?? ''
  if (!id || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(nowMs - Number(timestamp) * 1000) > toleranceMs) return false
  const head = utf8(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  const signatures = (headerOf(headers, 'webhook-signature') ?? '').split(' ', MAX_SIGNATURES)
  return secret.startsWith(PUBLIC_PREFIX)
    ? hasOne(signatures, 'v1a,', 64, await verifierOf('Ed25519', publicKey(secret), signed))
    : hasOne(signatures, 'v1,', 32, await verifierOf(HMAC_SHA256, standardKey(secret), signed))
}

/** Whether one of the signatures with this prefix and number of bytes is valid. */
async function hasOne(
  signatures: readonly string[],
  prefix: string,
  bytes: number,
  isValid: Verifier,
): Promise<boolean> {
  for (const each of signatures) {
    const signature = each.startsWith(prefix) ? base64(each.slice(prefix.length)) : undefined
    if (signature?.length === bytes && (await isValid(signature))) return true
  }
  return false
}

type Verifier = (signature: Bytes) => Promise<boolean>

/** Verifies signatures of `data` in constant time, as WebCrypto does. */
async function verifierOf(
  algorithm: 'Ed25519' | typeof HMAC_SHA1 | typeof HMAC_SHA256,
  key: Bytes,
  data: Bytes,
): Promise<Verifier> {
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify'])
  return (signature) => crypto.subtle.verify(algorithm, imported, signature, data)
}

function standardKey(secret: string): Bytes {
  if (!secret.startsWith(BASE64_PREFIX)) return utf8(secret)
  const key = base64(secret.slice(BASE64_PREFIX.length))
  if (!key?.length) throw new TypeError(`a secret that begins with ${BASE64_PREFIX} must be base64`)
  return key
}

function publicKey(text: string): Bytes {
  const key = base64(text.slice(PUBLIC_PREFIX.length))
  if (key?.length === 32) return key
  throw new TypeError(`a public key must be ${PUBLIC_PREFIX} and 32 bytes in base64`)
}

function base64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}

function utf8(text: string): Bytes {
  return new TextEncoder().encode(text)
}

/** Ignores a header that occurs more than once, because it is unclear which value the sender meant. */
function headerOf(headers: RequestHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const values = Object.entries(headers).flatMap(([key, value]) =>
    key.toLowerCase() === name ? (value ?? []) : [],
  )
  return values.length === 1 ? values[0] : undefined
}

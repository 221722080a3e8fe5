import {
  HEADER_NAME,
  idFrom,
  isMailUrl,
  reservedBy,
  type Signers,
  signersOf,
  type SigningKey,
  timeOfId,
  type Webhook,
  type WebhookAuth,
  type WebhookMethod,
  type WebhookLimits,
  type WebhooksSettings,
} from '@hookline/protocol'
import { ed25519Signature } from '@hookline/protocol/ed25519'
import { standardSignature, xSignature } from '@hookline/protocol/signature'
import { hash } from 'node:crypto'
import { errors } from 'undici'
import { authorizationOf } from '../auth/authorization.ts'
import type { TraceHeaders } from '../../telemetry/trace-context.ts'
import { RequestRefusedError } from '../network/network-errors.ts'

export interface WebhookRequest extends Signers {
  /** The URL of the webhook, which also identifies it. */
  readonly url: string
  /** The URL with its placeholders filled in, if it has any. May contain user data. */
  readonly filledUrl?: string | undefined
  /** `POST` if absent. */
  readonly method?: WebhookMethod | undefined
  /** Static headers. Their values are secrets. */
  readonly headers: Readonly<Record<string, string>>
  readonly auth?: WebhookAuth | undefined
  /** The OAuth 2 access token. */
  readonly token?: string
  readonly limits?: WebhookLimits | undefined
  /** Signed and sent unchanged. */
  readonly body: Uint8Array
  /** `application/json` if absent. */
  readonly contentType?: string | undefined
  /** `msg_…`, sent as `webhook-id`. */
  readonly deliveryId: string
  readonly attempt: number
  /** `rpl_…`, sent as `X-Hookline-Replay`. */
  readonly replayId?: string | undefined
  /** Headers that continue the event's trace. */
  readonly trace?: TraceHeaders | undefined
}

export function requestTo(
  webhook: Webhook,
  settings: WebhooksSettings,
  carried: Omit<WebhookRequest, 'url' | 'method' | 'headers' | 'auth' | keyof Signers>,
  now: number,
): WebhookRequest {
  const { url, headers, auth, limits } = webhook
  const { method } = settings
  const signers = signersOf(webhook, settings, now)
  return { url, method, headers, limits, ...(auth && { auth }), ...carried, ...signers }
}

/** The headers of an attempt. Hookline's own override static ones of the same name. */
export function requestHeaders(request: WebhookRequest, nowMs: number): Record<string, string> {
  if (isMailUrl(request.url)) return {}
  const { body, contentType = 'application/json', deliveryId: id, sharedSecret, replayId } = request
  const timestamp = Math.floor(nowMs / 1000)
  const authorization = authorizationOf(request.auth, request.token)
  const signatures = standardSignatures(request, timestamp)
  const own: Record<string, string> = {
    'User-Agent': 'Hookline/1.0',
    'Content-Type': contentType,
    'Accept-Encoding': 'identity',
    ...(authorization !== undefined && { Authorization: authorization }),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'X-Hookline-Attempt': String(request.attempt),
    ...(replayId !== undefined && { 'X-Hookline-Replay': replayId }),
    ...(sharedSecret !== null && { 'X-Signature': xSignature(sharedSecret, body) }),
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
    ...request.trace,
  }
  if (Object.keys(request.headers).length === 0) return own
  const reserved = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  const others = Object.entries(request.headers).filter(
    ([name]) => !reserved.has(name.toLowerCase()),
  )
  return { ...Object.fromEntries(others), ...own }
}

/** The signatures in `webhook-signature`: those made with the secrets, then those made with the keys. */
function standardSignatures(request: WebhookRequest, timestamp: number): string[] {
  const { body, deliveryId: id, sharedSecret, previousSecret, signingKeys = [] } = request
  const secrets = [sharedSecret, previousSecret].filter((secret) => typeof secret === 'string')
  return [
    ...secrets.map((secret) => standardSignature(secret, id, timestamp, body)),
    ...signingKeys.map((key) => signedOnce(key, id, timestamp, body)),
  ]
}

/**
 * Signatures by body. Without field rules, a format or a transform, the webhooks of a destination
 * share the body of an event. It is freed before signatures for many timestamps accumulate.
 */
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

/** The `webhook-id` of an event at a destination. Derived, so repeated attempts share it. Begins with the event's time. */
export function deliveryId(eventId: string, destinationId: string): string {
  const digest = hash('sha256', `${eventId}/${destinationId}`, 'buffer')
  return idFrom('msg', timeOfId(eventId), digest)
}

// RFC 9110 §5.5.
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Throws `RequestRefusedError` for a static header that cannot be sent. If undici refused it, its pool would treat the
 * client as busy.
 */
export function refuseUnsendable(headers: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const isValue = typeof value === 'string' && HEADER_VALUE.test(value)
    if (reservedBy(name) === 'connection' || !HEADER_NAME.test(name) || !isValue) {
      throw new RequestRefusedError(`the static header ${JSON.stringify(name)}`)
    }
  }
}

/** Wraps an error from before the request was sent, without header values. */
export function toRefusedError(cause: unknown): RequestRefusedError {
  if (cause instanceof RequestRefusedError) return cause
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown }
  // undici's messages contain names of headers and options, but no values. Other messages may contain anything.
  const detail = cause instanceof errors.UndiciError ? message : (code ?? 'unknown')
  return new RequestRefusedError(`the request (${String(detail)})`, { cause })
}

/** The headers of an attempt, in order. `hide` replaces the values of static headers and of `Authorization`, which are secrets. */
export function shownRequestHeaders(
  request: WebhookRequest,
  nowMs: number,
  hide: (name: string) => string = () => '[hidden]',
): Record<string, string> {
  const secret = request.headers
  const isSecret = (name: string, value: string): boolean =>
    name === 'Authorization' || (Object.hasOwn(secret, name) && secret[name] === value)
  const headers = Object.entries(requestHeaders(request, nowMs))
  const shown = headers.map(([name, value]) => [name, isSecret(name, value) ? hide(name) : value])
  return Object.fromEntries(shown) as Record<string, string>
}

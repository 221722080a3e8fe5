import {
  type Attempt,
  type AttemptClass,
  type AttemptTiming,
  parseRetryAfter,
  statusError,
} from '@hookline/protocol'
import { errors } from 'undici'
import { AuthFailedError } from '../auth/token-request.ts'
import {
  AddressForbiddenError,
  DeadlineExceededError,
  MailRefusedError,
  NameUnresolvedError,
  PortForbiddenError,
  ProxyFailedError,
  RequestRefusedError,
} from '../network/network-errors.ts'

export interface Classification {
  readonly outcome: Attempt['outcome']
  readonly class: AttemptClass
}

/** The instruction in the response header `webhook-delivery`: no more attempts, or no more deliveries. */
export type Instruction = 'abort-message' | 'disable'

export interface AttemptResult extends Classification {
  readonly startedAt: number
  /** Until the last response header, or until the attempt failed. */
  readonly durationMs: number
  /** Absent if the attempt used an open socket, and the response body took less than 1 ms. */
  readonly timing?: AttemptTiming
  readonly status?: number
  /** What failed, as a sentence without secrets. */
  readonly error?: string
  /** From 1 s to 1 h. */
  readonly retryAfterMs?: number
  readonly instruction?: Instruction
  readonly headers?: Readonly<Record<string, string>>
  /** At most 4 KiB. */
  readonly body?: string
}

/** The outcome of each class of attempt, unless `retryOn` or an instruction changes it. */
const OUTCOMES: Readonly<Record<AttemptClass, Attempt['outcome']>> = {
  delivered: 'delivered',
  http_5xx: 'retry',
  http_throttled: 'retry',
  http_4xx: 'rejected',
  redirect: 'rejected',
  timeout: 'retry',
  connection_failed: 'retry',
  dns_failed: 'retry',
  proxy_failed: 'retry',
  auth_failed: 'retry',
  mail_refused: 'retry',
  protocol_error: 'retry',
  // Operators usually fix these three within hours.
  certificate_invalid: 'retry',
  address_forbidden: 'retry',
  port_forbidden: 'retry',
  request_invalid: 'rejected',
  transform_failed: 'rejected',
  transform_declined: 'declined',
  internal_error: 'rejected',
}

/** Whether the operator's settings forbid the address or the port, so no connection was made. */
export function isForbidden(attemptClass: AttemptClass): boolean {
  return attemptClass === 'address_forbidden' || attemptClass === 'port_forbidden'
}

const THROTTLED = new Set([408, 425, 429])

/** The instruction in the header `webhook-delivery`, as defined by Svix; `undefined` if absent or unknown. */
export function instructionIn(header: string | string[] | undefined): Instruction | undefined {
  if (typeof header !== 'string') return undefined
  const value = header.trim().toLowerCase()
  return value === 'abort-message' || value === 'disable' ? value : undefined
}

/** @param options.retryOn statuses that are final by default, but retried for this webhook */
export function classifyResponse(
  status: number,
  options: {
    readonly instruction?: Instruction | undefined
    readonly retryOn?: readonly number[] | undefined
  } = {},
): Classification {
  const classified = classification(responseClass(status))
  if (classified.outcome === 'rejected' && options.retryOn?.includes(status) === true)
    return endedBy(options.instruction, { ...classified, outcome: 'retry' })
  return endedBy(options.instruction, classified)
}

function endedBy(instruction: Instruction | undefined, classified: Classification): Classification {
  const isAborted = instruction === 'abort-message' && classified.outcome === 'retry'
  return isAborted ? { ...classified, outcome: 'rejected' } : classified
}

/** Classifies a failure without a response by its error codes; `undefined` for a bug in Hookline. */
export function classifyFailure(error: unknown): Classification | undefined {
  for (const code of errorCodes(error)) {
    const attemptClass = FAILURES.get(code) ?? FAMILIES.find(([family]) => family.test(code))?.[1]
    if (attemptClass !== undefined) return classification(attemptClass)
  }
  return undefined
}

export function classifyFault(): Classification {
  return classification('internal_error')
}

export function classification(attemptClass: AttemptClass): Classification {
  return { outcome: OUTCOMES[attemptClass], class: attemptClass }
}

/** Codes of the error, its causes, and the errors it aggregates. An unparseable response has `HOOKLINE_BAD_RESPONSE`. */
function errorCodes(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const inner = error instanceof AggregateError ? error.errors : []
  return [...ownCode(error), ...errorCodes(error.cause), ...inner.flatMap(errorCodes)]
}

function ownCode(error: Error): string[] {
  if (isBadResponse(error)) return ['HOOKLINE_BAD_RESPONSE']
  return 'code' in error && typeof error.code === 'string' ? [error.code] : []
}

function isBadResponse(error: Error): boolean {
  if (error instanceof errors.HTTPParserError) return true
  // 'bad response': an unexpected interim response 100; 'bad upgrade': a 101.
  return error instanceof errors.SocketError && error.message.startsWith('bad ')
}

function responseClass(status: number): AttemptClass {
  if (status >= 200 && status < 300) return 'delivered'
  if (status >= 300 && status < 400) return 'redirect'
  if (THROTTLED.has(status)) return 'http_throttled'
  if (status >= 400 && status < 500) return 'http_4xx'
  if (status >= 500 && status < 600) return 'http_5xx'
  return 'protocol_error'
}

/** Error codes from Node, OpenSSL (as Node spells them), c-ares, undici and Hookline. */
const CODES: Partial<Record<AttemptClass, string>> = {
  timeout: `
    HOOKLINE_DEADLINE_PASSED ETIMEDOUT UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT
    UND_ERR_BODY_TIMEOUT ERR_TLS_HANDSHAKE_TIMEOUT`,
  address_forbidden: 'HOOKLINE_ADDRESS_FORBIDDEN',
  port_forbidden: 'HOOKLINE_PORT_FORBIDDEN',
  proxy_failed: 'HOOKLINE_PROXY_FAILED',
  auth_failed: 'HOOKLINE_AUTH_FAILED',
  mail_refused: 'HOOKLINE_MAIL_REFUSED',
  request_invalid: 'HOOKLINE_REQUEST_REFUSED UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
  dns_failed: `
    HOOKLINE_NAME_UNRESOLVED ENOTFOUND ENODATA ESERVFAIL ETIMEOUT EREFUSED EBADNAME EBADRESP
    EFORMERR ENONAME ENOTIMP ECANCELLED`,
  // Node reports UNSPECIFIED for OpenSSL reasons that it does not name.
  certificate_invalid: `
    DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN CERT_HAS_EXPIRED CERT_NOT_YET_VALID
    ERROR_IN_CERT_NOT_BEFORE_FIELD ERROR_IN_CERT_NOT_AFTER_FIELD ERR_TLS_CERT_ALTNAME_INVALID
    ERR_TLS_CERT_ALTNAME_FORMAT HOSTNAME_MISMATCH UNABLE_TO_GET_ISSUER_CERT
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE
    UNABLE_TO_DECRYPT_CERT_SIGNATURE UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY CERT_SIGNATURE_FAILURE
    CERT_CHAIN_TOO_LONG CERT_REVOKED CERT_UNTRUSTED CERT_REJECTED INVALID_CA INVALID_PURPOSE
    PATH_LENGTH_EXCEEDED UNABLE_TO_GET_CRL UNABLE_TO_DECRYPT_CRL_SIGNATURE CRL_SIGNATURE_FAILURE
    CRL_NOT_YET_VALID CRL_HAS_EXPIRED ERROR_IN_CRL_LAST_UPDATE_FIELD
    ERROR_IN_CRL_NEXT_UPDATE_FIELD UNSPECIFIED`,
  protocol_error: `
    HOOKLINE_BAD_RESPONSE UND_ERR_HEADERS_OVERFLOW UND_ERR_RES_CONTENT_LENGTH_MISMATCH
    UND_ERR_RES_EXCEEDED_MAX_SIZE`,
  connection_failed: 'UND_ERR_SOCKET ERR_STREAM_PREMATURE_CLOSE ERR_SOCKET_CLOSED',
}

const FAILURES = new Map(
  Object.entries(CODES).flatMap(([attemptClass, codes]) =>
    (codes.match(/\S+/g) ?? []).map((code) => [code, attemptClass as AttemptClass]),
  ),
)

const FAMILIES: readonly (readonly [RegExp, AttemptClass])[] = [
  [/^EAI_/, 'dns_failed'],
  [/^ERR_(?:SSL|TLS)_/, 'connection_failed'],
  [/^E[A-Z0-9]+$/, 'connection_failed'],
]

/** What failed, for the operator of the receiver, without the URL or secrets. */
export function describeFailure(error: unknown): string {
  if (READABLE.some((readable) => error instanceof readable)) return (error as Error).message
  const code = errorCodes(error)[0] ?? 'unknown'
  const failure = classifyFailure(error)?.class
  const sentence = SENTENCES.find(([pattern]) => pattern.test(code))?.[1]
  const fallback = FALLBACKS[failure ?? ''] ?? 'The connection failed'
  const suffix = code.startsWith('HOOKLINE_') ? '' : ` (${code})`
  return `${sentence ?? fallback}${suffix}.`
}

/**
 * An attempt's error for the log; `undefined` for a failed transform, whose error may quote the
 * event.
 */
export function loggedError({
  class: kind,
  error,
}: Pick<Attempt, 'class' | 'error'>): string | undefined {
  return kind === 'transform_failed' ? undefined : error
}

/** `location`: the target of a redirect, without its query. */
export function describeResponse(
  status: number,
  location?: string,
  instruction?: Instruction,
): string {
  if (instruction !== undefined)
    return `The receiver responded with ${status} and webhook-delivery: ${instruction}.`
  if (status >= 300 && status < 400) {
    const target = location === undefined ? 'a redirect' : `a redirect to ${location}`
    return `The receiver responded with ${status}, ${target}. Redirects are not followed.`
  }
  return statusError(status)
}

const READABLE = [
  DeadlineExceededError,
  AddressForbiddenError,
  PortForbiddenError,
  NameUnresolvedError,
  ProxyFailedError,
  RequestRefusedError,
  AuthFailedError,
  MailRefusedError,
]

const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'The connection was refused'],
  [/^ECONNRESET$|^EPIPE$|^ECONNABORTED$/, 'The connection was reset'],
  [/^UND_ERR_SOCKET$|_CLOSED?$/, 'The connection was closed before the response'],
  [/^E(?:HOST|NET)(?:UNREACH|DOWN)$|^EADDRNOTAVAIL$/, 'No route to the receiver'],
  [/^E(?:M|N)FILE$|^ENOBUFS$|^ENOMEM$/, 'Hookline is out of sockets or memory'],
  [/^DEPTH_ZERO_SELF|^SELF_SIGNED/, 'The certificate is self-signed'],
  [/^CERT_HAS_EXPIRED$/, 'The certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'The certificate is not valid yet'],
  [/ALTNAME|^HOSTNAME_MISMATCH$/, 'The certificate is for another host'],
  [/ISSUER|^UNABLE_TO_VERIFY/, 'The certificate issuer is not trusted'],
  [/^CERT_REVOKED$/, 'The certificate was revoked'],
  [
    /ALERT_(?:BAD_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA)$/,
    'The receiver refused the client certificate',
  ],
  [/^(?:ERR_(?:SSL|TLS)_|EPROTO$)/, 'The TLS handshake failed'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'The response headers exceed 16 KiB'],
]

const FALLBACKS: Readonly<Record<string, string>> = {
  timeout: 'The connection timed out',
  dns_failed: 'The host name could not be resolved',
  certificate_invalid: 'The certificate is not valid',
  protocol_error: 'The response is not valid HTTP/1.1',
  request_invalid: 'Hookline cannot send the request',
}

const MIN_RETRY_AFTER_MS = 1000
export const MAX_RETRY_AFTER_MS = 60 * 60 * 1000

/** The statuses whose Retry-After is honoured. 502 and 503 may come from a proxy in front of a receiver. */
const HONOURED = new Set([408, 425, 429, 502, 503])

/** The pause from `Retry-After` in milliseconds, from 1 s to 1 h. `undefined` if invalid or ignored for the status. */
export function retryAfter(
  status: number,
  header: string | undefined,
  nowMs: number,
): number | undefined {
  if (!HONOURED.has(status) || header === undefined) return undefined
  const waitMs = parseRetryAfter(header, nowMs)
  if (waitMs === undefined) return undefined
  return Math.min(Math.max(waitMs, MIN_RETRY_AFTER_MS), MAX_RETRY_AFTER_MS)
}

import type { Attempt, AttemptClass, AttemptTiming } from '@hookline/protocol'
import { errorCodes } from './error-codes.ts'

/** What one attempt came to, and what it means for the delivery. */
export interface Verdict {
  readonly outcome: Attempt['outcome']
  readonly class: AttemptClass
}

/** One HTTP request to one webhook, made or refused, and what came of it. */
export interface AttemptResult extends Verdict {
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Until the last response header, or until there was none to wait for. */
  readonly durationMs: number
  /** Absent where a socket was open already. */
  readonly timing?: AttemptTiming
  /** The HTTP status, where there was an answer. */
  readonly status?: number
  /** In words, without secrets: what went wrong. Absent where it was delivered. */
  readonly error?: string
  /** How long the receiver asked for pause: 1 s to 1 h. */
  readonly retryAfterMs?: number
  /** Response headers of an allow-list. */
  readonly headers?: Readonly<Record<string, string>>
  /** At most 4 KiB of the response body. */
  readonly body?: string
}

/** What each class of attempt means for the delivery (spec: what an answer means). */
const OUTCOMES: Readonly<Record<AttemptClass, Attempt['outcome']>> = {
  delivered: 'delivered',
  http_5xx: 'retry',
  http_throttled: 'retry',
  http_4xx: 'rejected',
  redirect: 'rejected',
  timeout: 'retry',
  connection_failed: 'retry',
  dns_failed: 'retry',
  protocol_error: 'retry',
  certificate_invalid: 'rejected',
  address_forbidden: 'rejected',
  port_forbidden: 'rejected',
}

const THROTTLED = new Set([408, 425, 429])

/** What an answer with this status means. */
export function classifyResponse(status: number): Verdict {
  return verdict(responseClass(status))
}

/**
 * What a failure without an answer means, from the error's codes.
 * `undefined`: not the doing of network or receiver, but a bug.
 */
export function classifyFailure(error: unknown): Verdict | undefined {
  for (const code of errorCodes(error)) {
    const found = FAILURES.get(code) ?? FAMILIES.find(([family]) => family.test(code))?.[1]
    if (found !== undefined) return verdict(found)
  }
  return undefined
}

function verdict(attemptClass: AttemptClass): Verdict {
  return { outcome: OUTCOMES[attemptClass], class: attemptClass }
}

function responseClass(status: number): AttemptClass {
  if (status >= 200 && status < 300) return 'delivered'
  if (status >= 300 && status < 400) return 'redirect'
  if (THROTTLED.has(status)) return 'http_throttled'
  if (status >= 400 && status < 500) return 'http_4xx'
  if (status >= 500 && status < 600) return 'http_5xx'
  return 'protocol_error'
}

/** Error codes by what they mean: Node's, OpenSSL's as Node spells them, c-ares', undici's and our own. */
const CODES: Partial<Record<AttemptClass, string>> = {
  timeout: `
    HOOKLINE_DEADLINE_PASSED ETIMEDOUT UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT
    UND_ERR_BODY_TIMEOUT ERR_TLS_HANDSHAKE_TIMEOUT`,
  address_forbidden: 'HOOKLINE_ADDRESS_FORBIDDEN',
  port_forbidden: 'HOOKLINE_PORT_FORBIDDEN',
  dns_failed: `
    HOOKLINE_NAME_UNRESOLVED ENOTFOUND ENODATA ESERVFAIL ETIMEOUT EREFUSED EBADNAME EBADRESP
    EFORMERR ENONAME ENOTIMP ECANCELLED`,
  // UNSPECIFIED is Node's word for each of OpenSSL's reasons that it has no name for.
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
    HOOKLINE_BAD_ANSWER UND_ERR_HEADERS_OVERFLOW UND_ERR_RES_CONTENT_LENGTH_MISMATCH
    UND_ERR_RES_EXCEEDED_MAX_SIZE`,
  connection_failed: 'UND_ERR_SOCKET ERR_STREAM_PREMATURE_CLOSE ERR_SOCKET_CLOSED',
}

const FAILURES = new Map(
  Object.entries(CODES).flatMap(([attemptClass, codes]) =>
    (codes.match(/\S+/g) ?? []).map((code) => [code, attemptClass as AttemptClass]),
  ),
)

/** What the tables above do not name one by one. */
const FAMILIES: readonly (readonly [RegExp, AttemptClass])[] = [
  [/^EAI_/, 'dns_failed'],
  [/^ERR_(?:SSL|TLS)_/, 'connection_failed'],
  [/^E[A-Z0-9]+$/, 'connection_failed'],
]

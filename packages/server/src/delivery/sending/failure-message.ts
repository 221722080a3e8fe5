import {
  AddressForbidden,
  DeadlinePassed,
  NameUnresolved,
  PortForbidden,
  ProxyFailed,
  RequestRefused,
} from '../network/network-errors.ts'
import { classifyFailure, errorCodes } from './outcome.ts'

/** What went wrong, as a sentence for the operator of the receiver. It contains neither the URL nor secrets. */
export function describeFailure(error: unknown): string {
  if (READABLE.some((readable) => error instanceof readable)) return (error as Error).message
  const code = errorCodes(error)[0] ?? 'unknown'
  const failure = classifyFailure(error)?.class
  const sentence = SENTENCES.find(([pattern]) => pattern.test(code))?.[1]
  const fallback = FALLBACKS[failure ?? ''] ?? 'The connection failed'
  const suffix = code.startsWith('HOOKLINE_') ? '' : ` (${code})`
  return `${sentence ?? fallback}${suffix}.`
}

/** Why a response with this status is no delivery. `location`: the target of a redirect, without its query. */
export function describeResponse(status: number, location?: string): string {
  if (status >= 300 && status < 400) {
    const target = location === undefined ? 'a redirect' : `a redirect to ${location}`
    return `The receiver answered ${status}, ${target}; redirects are not followed.`
  }
  return `The receiver answered ${status}.`
}

/** Errors whose own message is written for the operator. */
const READABLE = [
  DeadlinePassed,
  AddressForbidden,
  PortForbidden,
  NameUnresolved,
  ProxyFailed,
  RequestRefused,
]

const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'The connection was refused'],
  [/^ECONNRESET$|^EPIPE$|^ECONNABORTED$/, 'The connection was reset'],
  [/^UND_ERR_SOCKET$|_CLOSED?$/, 'The connection was closed before a response came'],
  [/^E(?:HOST|NET)(?:UNREACH|DOWN)$|^EADDRNOTAVAIL$/, 'There is no route to the receiver'],
  [/^E(?:M|N)FILE$|^ENOBUFS$|^ENOMEM$/, 'Hookline itself is out of sockets or memory'],
  [/^DEPTH_ZERO_SELF|^SELF_SIGNED/, 'The certificate is self-signed'],
  [/^CERT_HAS_EXPIRED$/, 'The certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'The certificate is not valid yet'],
  [/ALTNAME|^HOSTNAME_MISMATCH$/, 'The certificate is for another host'],
  [/ISSUER|^UNABLE_TO_VERIFY/, 'The certificate is from an issuer that is not trusted'],
  [/^CERT_REVOKED$/, 'The certificate was revoked'],
  [/^(?:ERR_(?:SSL|TLS)_|EPROTO$)/, 'The TLS handshake failed'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'The headers of the response are larger than 16 KiB'],
]

const FALLBACKS: Readonly<Record<string, string>> = {
  timeout: 'The connection timed out',
  dns_failed: 'The name could not be resolved',
  certificate_invalid: 'The certificate is not valid',
  protocol_error: 'The response is not valid HTTP/1.1',
  request_invalid: 'Hookline cannot send the request',
}

import { errorCodes } from './error-codes.ts'
import {
  AddressForbidden,
  DeadlinePassed,
  NameUnresolved,
  PortForbidden,
} from '../network/failures.ts'
import { classifyFailure } from './outcome.ts'

/** What went wrong, in words for the one who operates the receiver. Neither URL nor secrets are in it. */
export function describeFailure(error: unknown): string {
  if (OURS.some((ours) => error instanceof ours)) return (error as Error).message
  const code = errorCodes(error)[0] ?? 'unknown'
  const failure = classifyFailure(error)?.class
  const words = WORDS.find(([pattern]) => pattern.test(code))?.[1] ?? FALLBACKS[failure ?? '']
  const suffix = code.startsWith('HOOKLINE_') ? '' : ` (${code})`
  return `${words ?? 'The connection failed'}${suffix}.`
}

/** Why an answer with this status did not deliver. `location`: where a redirect pointed, without query. */
export function describeResponse(status: number, location?: string): string {
  if (status >= 300 && status < 400) {
    const target = location === undefined ? 'a redirect' : `a redirect to ${location}`
    return `The receiver answered ${status}, ${target}; redirects are not followed.`
  }
  return `The receiver answered ${status}.`
}

/** Their messages are written for the one who reads this. */
const OURS = [DeadlinePassed, AddressForbidden, PortForbidden, NameUnresolved]

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'The connection was refused'],
  [/^ECONNRESET$|^EPIPE$|^ECONNABORTED$/, 'The connection was reset'],
  [/^UND_ERR_SOCKET$|_CLOSED?$/, 'The connection was closed before an answer came'],
  [/^E(?:HOST|NET)(?:UNREACH|DOWN)$|^EADDRNOTAVAIL$/, 'There is no route to the receiver'],
  [/^E(?:M|N)FILE$|^ENOBUFS$|^ENOMEM$/, 'Hookline itself is out of sockets or memory'],
  [/^DEPTH_ZERO_SELF|^SELF_SIGNED/, 'The certificate is self-signed'],
  [/^CERT_HAS_EXPIRED$/, 'The certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'The certificate is not valid yet'],
  [/ALTNAME|^HOSTNAME_MISMATCH$/, 'The certificate is for another host'],
  [/ISSUER|^UNABLE_TO_VERIFY/, 'The certificate is from an issuer that is not trusted'],
  [/^CERT_REVOKED$/, 'The certificate was revoked'],
  [/^(?:ERR_(?:SSL|TLS)_|EPROTO$)/, 'The TLS handshake failed'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'The headers of the answer are larger than 16 KiB'],
]

const FALLBACKS: Readonly<Record<string, string>> = {
  timeout: 'The connection timed out',
  dns_failed: 'The name could not be resolved',
  certificate_invalid: 'The certificate is not valid',
  protocol_error: 'The answer is not valid HTTP/1.1',
}

import { reservedBy } from '@hookline/protocol'
import { errors } from 'undici'
import { RequestRefused } from '../network/network-errors.ts'

// RFC 9110 §5.6.2 and §5.5.
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Throws `RequestRefused` for a static header that cannot be sent. The settings refuse it too, but an earlier version may
 * have stored it. One that Hookline's own header overrides is not sent. undici must not see it: its pool regards a client that refused a request as busy from then on.
 */
export function refuseUnsendable(headers: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const isValue = typeof value === 'string' && VALUE.test(value)
    if (reservedBy(name) === 'connection' || !NAME.test(name) || !isValue) {
      throw new RequestRefused(`the static header ${JSON.stringify(name)}`)
    }
  }
}

/** What was thrown before the request was sent, as a failure of this request. It has no value of a header in its words. */
export function asRefused(cause: unknown): RequestRefused {
  if (cause instanceof RequestRefused) return cause
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown }
  // undici's messages name headers and options, but no values. Messages of other errors may have any text.
  const detail = cause instanceof errors.UndiciError ? message : (code ?? 'unknown')
  return new RequestRefused(`the request (${String(detail)})`, { cause })
}

import type { onRequestHookHandler } from 'fastify'
import { isIP } from 'node:net'

/** The `Host` of the request does not belong to this service. */
class HostNotAllowedError extends Error {
  override readonly name = 'HostNotAllowedError'
  readonly code = 'HOOKLINE_WRONG_HOST'
  readonly statusCode = 421
}

/** Refuses foreign `Host` names on routes without a token: DNS rebinding would let other sites read the responses. */
export function hostGuard(allowedHosts: readonly string[]): onRequestHookHandler {
  return ({ headers }, _reply, done) => {
    // Not the host that a proxy forwards: a page can set that header.
    if (isOwnHost(headers.host, allowedHosts)) done()
    else done(new HostNotAllowedError('Unknown host name. Operators can add it to allowedHosts.'))
  }
}

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Whether a `Host` is well-formed. Anything else must not appear in a response: it may contain markup or code. */
export function isHost(header: string): boolean {
  return HOST.test(header)
}

/** Whether a `Host` may be ours: an IP address, a dotless name, `.localhost`, or an allowed name (`.a.b` allows all names below it). */
export function isOwnHost(header: string | undefined, allowedHosts: readonly string[]): boolean {
  // Browsers always send it.
  if (header === undefined || header === '') return true
  const host = header
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
  // A name without a dot cannot be registered, so no page can rebind it.
  if (isIP(host) !== 0 || !host.includes('.') || host.endsWith('.localhost')) return true
  return allowedHosts.some((allowed) => isBelow(host, allowed.toLowerCase()))
}

function isBelow(host: string, allowed: string): boolean {
  return allowed.startsWith('.') ? host.endsWith(allowed) : host === allowed
}

import type { onRequestHookHandler } from 'fastify'
import { isIP } from 'node:net'

/** The request names a host that is not one of this service. */
class WrongHost extends Error {
  override readonly name = 'WrongHost'
  readonly code = 'HOOKLINE_WRONG_HOST'
  readonly statusCode = 421
}

/**
 * The hook of routes that need no token. It refuses a `Host` that is a name of somebody else: with DNS rebinding, a page in
 * the browser of an operator makes a name of its own lead to this service, and may read what the service responds.
 */
export function hostGuard(allowedHosts: readonly string[]): onRequestHookHandler {
  return ({ headers }, _reply, done) => {
    // Not the host that a proxy forwards: a page may set that header itself.
    if (isOwnHost(headers.host, allowedHosts)) done()
    else done(new WrongHost('The Host is not one of this service.'))
  }
}

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Whether a `Host` is a host with or without a port. What is not must not be part of a response: it may be code. */
export function isHost(header: string): boolean {
  return HOST.test(header)
}

/**
 * Whether a `Host` may be one of this service: an IP address, a name without a dot or a name of this machine, none of which
 * anybody can register, or a name that is allowed. An allowed name that begins with a dot stands for all names below it.
 */
export function isOwnHost(header: string | undefined, allowedHosts: readonly string[]): boolean {
  // Browsers always send it.
  if (header === undefined || header === '') return true
  const host = header
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
  if (isIP(host) !== 0 || !host.includes('.') || host.endsWith('.localhost')) return true
  return allowedHosts.some((allowed) => isBelow(host, allowed.toLowerCase()))
}

function isBelow(host: string, allowed: string): boolean {
  return allowed.startsWith('.') ? host.endsWith(allowed) : host === allowed
}

import type { FastifyReply } from 'fastify'

/** What each site forbids the browser: everything that does not come from the service itself. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

/** The documentation shows the colours of code as `style` attributes. */
export const DOCS_POLICY = policy("style-src-attr 'unsafe-inline'", "base-uri 'none'")

/** The page of the console names the folder that its addresses begin with. */
export const CONSOLE_POLICY = policy("base-uri 'self'")

function policy(...more: readonly string[]): string {
  return [...POLICY, ...more].join('; ')
}

/** Sets the headers of every response of a site. */
export function setSiteHeaders(reply: FastifyReply, contentSecurityPolicy: string): void {
  void reply.headers({
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  })
}

/** The names of assets contain their hash. A browser asks for the other files each time, with their ETag. */
export function setFileHeaders(reply: FastifyReply, path: string): void {
  const isAsset = /[\\/]assets[\\/]/.test(path)
  const caching = isAsset ? 'public, max-age=31536000, immutable' : 'no-cache'
  void reply.header('cache-control', caching)
}

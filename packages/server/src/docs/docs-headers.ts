import type { FastifyReply } from 'fastify'

/** The pages load nothing from elsewhere. Their code colours are `style` attributes. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Sets the headers of every response below `/docs`. */
export function setDocsHeaders(reply: FastifyReply): void {
  void reply.headers({
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
}

/** The names of assets contain their hash. A browser asks for the other files each time, with their ETag. */
export function setFileHeaders(reply: FastifyReply, path: string): void {
  const isAsset = /[\\/]assets[\\/]/.test(path)
  const caching = isAsset ? 'public, max-age=31536000, immutable' : 'no-cache'
  void reply.header('cache-control', caching)
}

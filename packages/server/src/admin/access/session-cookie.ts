import { createHmac } from 'node:crypto'

/** The cookie that has the secret of a session of the console. */
const COOKIE = 'hookline_session'

/** The secret in the header `Cookie` of a request; `undefined` where it has none. */
export function sessionIn(cookies: string | undefined): string | undefined {
  return new RegExp(`(?:^|; *)${COOKIE}=([\\w-]+)`).exec(cookies ?? '')?.[1]
}

/**
 * The header `Set-Cookie` for a session. Scripts cannot read it, and a browser sends it with no request that another site
 * causes (RFC 6265bis §5.6.7). `Secure` only over TLS: a browser would not keep it otherwise.
 */
export function setCookie(secret: string, maxAgeSeconds: number, isSecure: boolean): string {
  const attributes = ['Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Strict']
  return [`${COOKIE}=${secret}`, ...attributes, ...(isSecure ? ['Secure'] : [])].join('; ')
}

/** The token that changes need beside the cookie. A page of another origin cannot read it. */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('csrf').digest('base64url')
}

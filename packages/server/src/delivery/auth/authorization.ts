import type { WebhookAuth } from '@hookline/protocol'

/** The value of `Authorization`; `undefined` if the webhook does not use this header. `token`: the OAuth 2 access token. */
export function authorizationOf(auth: WebhookAuth | undefined, token = ''): string | undefined {
  if (auth === undefined || 'clientCertificate' in auth) return undefined
  if ('basic' in auth) return `Basic ${basicCredentials(auth.basic.user, auth.basic.password)}`
  return `Bearer ${'bearer' in auth ? auth.bearer : token}`
}

/** The secrets in a request, which a receiver may echo. */
export function sentSecrets(auth: WebhookAuth | undefined, token = ''): string[] {
  if (auth === undefined || 'clientCertificate' in auth) return []
  if ('bearer' in auth) return [auth.bearer]
  if ('oauth2' in auth) return [token]
  const { user, password } = auth.basic
  return [password, basicCredentials(user, password)]
}

/** The password for a mail server, as `AUTH PLAIN` (RFC 4616) and `AUTH LOGIN` encode it. */
export function mailLogins(auth: WebhookAuth | undefined): string[] {
  if (auth === undefined || !('basic' in auth)) return []
  const { user, password } = auth.basic
  return [`\0${user}\0${password}`, password].map((text) => Buffer.from(text).toString('base64'))
}

/** RFC 7617 §2. */
export function basicCredentials(user: string, password: string): string {
  return Buffer.from(`${user}:${password}`).toString('base64')
}

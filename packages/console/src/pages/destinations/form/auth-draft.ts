import type { Destination } from '@hookline/cli/management-client'

type StoredAuth = Destination['settings']['webhooks'][number]['auth']

export type AuthKind = 'none' | keyof NonNullable<StoredAuth>

/** Authentication of a webhook as entered. */
export interface AuthDraft {
  readonly kind: AuthKind
  /** By field name. Stored secrets are absent. */
  readonly values: Readonly<Record<string, string>>
  readonly storedKind: AuthKind
  /** The token URL for which the client secret is stored. */
  readonly storedTokenUrl?: string
  /** The stored client certificate. */
  readonly certificate?: { readonly subject: string; readonly expiresAt: string }
}

export const AUTH_KINDS: Readonly<Record<AuthKind, string>> = {
  none: 'None, or a static header',
  basic: 'User and password (basic)',
  bearer: 'Bearer token',
  oauth2: 'OAuth 2 client credentials',
  clientCertificate: 'Client certificate (TLS)',
}

interface AuthField {
  readonly name: string
  readonly label: string
  readonly isSecret?: true
  readonly isOptional?: true
}

export const AUTH_FIELDS: Readonly<Record<AuthKind, readonly AuthField[]>> = {
  none: [],
  basic: [
    { name: 'user', label: 'User' },
    { name: 'password', label: 'Password', isSecret: true },
  ],
  bearer: [{ name: 'bearer', label: 'Token', isSecret: true }],
  oauth2: [
    { name: 'tokenUrl', label: 'Token URL' },
    { name: 'clientId', label: 'Client ID' },
    { name: 'clientSecret', label: 'Client secret', isSecret: true },
    { name: 'scope', label: 'Scope', isOptional: true },
    { name: 'audience', label: 'Audience', isOptional: true },
    { name: 'resource', label: 'Resource', isOptional: true },
  ],
  clientCertificate: [
    { name: 'certificate', label: 'Certificate (PEM)', isSecret: true },
    { name: 'key', label: 'Private key (PEM)', isSecret: true },
  ],
}

export function emptyAuth(): AuthDraft {
  return { kind: 'none', values: {}, storedKind: 'none' }
}

export function authDraftOf(auth: StoredAuth): AuthDraft {
  if (auth?.basic) {
    const { user } = auth.basic
    return { kind: 'basic', values: { user }, storedKind: 'basic' }
  }
  if (auth?.bearer) return { kind: 'bearer', values: {}, storedKind: 'bearer' }
  if (auth?.oauth2) {
    const { clientSecret: _, ...values } = auth.oauth2
    return { kind: 'oauth2', values, storedKind: 'oauth2', storedTokenUrl: values.tokenUrl }
  }
  if (auth?.clientCertificate === undefined) return emptyAuth()
  const kind = 'clientCertificate'
  return { kind, values: {}, storedKind: kind, certificate: auth.clientCertificate.certificate }
}

/**
 * Whether the token URL differs from the one that the client secret is stored for: the service
 * sends the secret to no other URL.
 */
export function hasOtherTokenUrl({ kind, values, storedTokenUrl }: AuthDraft): boolean {
  return kind === 'oauth2' && values['tokenUrl'] !== storedTokenUrl
}

/** `auth` for a request. Empty secrets stand for the stored ones if both URLs are the same as before. */
export function requestedAuth(draft: AuthDraft, hasSameUrl: boolean): object | undefined {
  const { kind, values } = draft
  if (kind === 'none') return undefined
  const isStored = draft.storedKind === kind && hasSameUrl && !hasOtherTokenUrl(draft)
  const fields = AUTH_FIELDS[kind]
    .filter(({ name, isOptional }) => !isOptional || (values[name] ?? '') !== '')
    .map(({ name, isSecret }) => {
      const value = values[name] ?? ''
      return [name, isSecret && isStored && value === '' ? { set: true } : value] as const
    })
  const object = Object.fromEntries(fields)
  return kind === 'bearer' ? object : { [kind]: object }
}

/** The JSON Pointer of a field in errors from the service. */
export function authPointer(webhook: number, kind: AuthKind, name: string): string {
  const at = `/settings/webhooks/${webhook}/auth`
  return kind === 'bearer' ? `${at}/bearer` : `${at}/${kind}/${name}`
}

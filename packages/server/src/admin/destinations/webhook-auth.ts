import {
  type ClientCertificate,
  type ClientCredentials,
  formatTimestamp,
  INSPECTOR_HOST,
  isJsonObject,
  type JsonObject,
  LIMITS,
  type Webhook,
  type WebhookAuth,
} from '@hookline/protocol'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import Type from 'typebox'
import { type FieldError, fieldError, typeError, unknownFields } from '../../util/field-error.ts'
import * as Schema from '../api/schema.ts'
import { isHidden } from './hidden-values.ts'
import { parseWebhookUrl, type UrlContext } from './webhook-urls.ts'

const KINDS = ['basic', 'bearer', 'oauth2', 'clientCertificate'] as const

const secret = Type.Unsafe<string | { readonly set: true }>({
  type: ['string', 'object'],
  description: '{"set": true} keeps the stored value.',
})

export const AuthRequest = Type.Optional(
  Type.Unsafe<object | null>({
    ...Schema.strictObject({
      basic: Type.Optional(Schema.strictObject({ user: Type.String(), password: secret })),
      bearer: Type.Optional(secret),
      oauth2: Type.Optional(
        Schema.strictObject({
          tokenUrl: Schema.text('The URL of the token endpoint.'),
          clientId: Type.String(),
          clientSecret: secret,
          scope: Type.Optional(Schema.text('Scopes, separated by spaces.')),
          audience: Type.Optional(
            Schema.text('The API that the token is for, if the token endpoint requires audience.'),
          ),
          resource: Type.Optional(
            Schema.text(
              'The API that the token is for, if the token endpoint requires resource (RFC 8707).',
            ),
          ),
        }),
      ),
      clientCertificate: Type.Optional(Schema.strictObject({ certificate: secret, key: secret })),
    }),
    type: ['object', 'null'],
    description:
      'How requests authenticate: exactly one of basic, bearer, oauth2 (client credentials) and clientCertificate (PEM, for TLS). Secrets are write-only. null or absent: none.',
  }),
)

const hidden = Type.Object({ set: Type.Literal(true) })

export const AuthResponse = Type.Optional(
  Type.Object({
    basic: Type.Optional(Type.Object({ user: Type.String(), password: hidden })),
    bearer: Type.Optional(hidden),
    oauth2: Type.Optional(
      Type.Object({
        tokenUrl: Type.String(),
        clientId: Type.String(),
        clientSecret: hidden,
        scope: Type.Optional(Type.String()),
        audience: Type.Optional(Type.String()),
        resource: Type.Optional(Type.String()),
      }),
    ),
    clientCertificate: Type.Optional(
      Type.Object({
        certificate: Type.Object({
          set: Type.Literal(true),
          subject: Type.String(),
          expiresAt: Schema.time,
        }),
        key: hidden,
      }),
    ),
  }),
)

const HIDDEN = { set: true } as const

/** The authentication of a webhook with its secrets hidden, in a form that `parseAuth` accepts. */
export function presentAuth(auth: WebhookAuth) {
  if (!('clientCertificate' in auth)) return hideSecretsOf(auth)
  const { subject, expiresAt } = detailsOf(auth.clientCertificate)
  const certificate = { ...HIDDEN, subject, expiresAt: formatTimestamp(expiresAt) }
  return { clientCertificate: { certificate, key: HIDDEN } }
}

/** The authentication of a webhook with its secrets hidden, for an exported document. */
export function hideSecretsOf(auth: WebhookAuth) {
  if ('basic' in auth) return { basic: { ...auth.basic, password: HIDDEN } }
  if ('bearer' in auth) return { bearer: HIDDEN }
  if ('oauth2' in auth) return { oauth2: { ...auth.oauth2, clientSecret: HIDDEN } }
  return { clientCertificate: { certificate: HIDDEN, key: HIDDEN } }
}

/** The subject on one line, and the expiry time in milliseconds since the epoch. */
function detailsOf({ certificate }: Pick<ClientCertificate, 'certificate'>) {
  const { subject, validTo } = new X509Certificate(certificate)
  return { subject: (subject ?? '').replaceAll('\n', ', '), expiresAt: Date.parse(validTo) }
}

interface AuthContext {
  readonly pointer: string
  readonly webhook: Pick<Webhook, 'headers'> & { readonly url: string | undefined }
  /** Hidden values stand for its values. */
  readonly stored: WebhookAuth | undefined
  readonly urls: UrlContext
}

/** Parses `auth` of a webhook; `undefined` if it is missing or invalid. */
export function parseAuth(input: unknown, context: AuthContext): WebhookAuth | undefined {
  if (input === undefined || input === null) return undefined
  const { pointer, webhook, urls } = context
  const { errors } = urls
  const hint = `Use an object with exactly one of ${KINDS.join(', ')}: {"basic": {"user": "…", "password": "…"}}.`
  if (!isJsonObject(input)) {
    errors.push(fieldError(pointer, 'invalid_type', 'auth must be an object.', hint))
    return undefined
  }
  errors.push(...unknownFields(input, KINDS, pointer))
  const [kind, ...others] = KINDS.filter((each) => Object.hasOwn(input, each))
  if (kind === undefined || others.length > 0) {
    const code = kind === undefined ? 'required' : 'exclusive'
    errors.push(
      fieldError(pointer, code, 'auth must have exactly one kind of authentication.', hint),
    )
    return undefined
  }
  const isInHeaders = Object.keys(webhook.headers).some((name) => /^authorization$/i.test(name))
  if (isInHeaders && kind !== 'clientCertificate') {
    const message = 'auth conflicts with the static header Authorization.'
    errors.push(fieldError(pointer, 'exclusive', message, 'Remove the static header, or auth.'))
  }
  return PARSERS[kind](input, context)
}

type Parser = (auth: JsonObject, context: AuthContext) => WebhookAuth | undefined

const PARSERS: Readonly<Record<(typeof KINDS)[number], Parser>> = {
  basic: (auth, context) => {
    const { stored } = context
    const fields = fieldsOf(auth['basic'], 'basic', ['user', 'password'], context)
    const known = stored && 'basic' in stored ? stored.basic.password : undefined
    return (
      fields && {
        basic: {
          user: fields.text('user', USER),
          password: fields.secret('password', PASSWORD, known),
        },
      }
    )
  },
  bearer: (auth, context) => {
    const { stored } = context
    const known = stored && 'bearer' in stored ? stored.bearer : undefined
    return { bearer: secretIn(auth, 'bearer', BEARER, { ...context, known }) }
  },
  oauth2: (auth, context) => {
    const names = ['tokenUrl', 'clientId', 'clientSecret', 'scope', 'audience', 'resource']
    const fields = fieldsOf(auth['oauth2'], 'oauth2', names, context)
    if (fields === undefined) return undefined
    const tokenUrl = tokenUrlIn(fields.object['tokenUrl'], context)
    const optional = (name: string, rule: TextRule) =>
      (fields.object[name] ?? null) === null ? {} : { [name]: fields.text(name, rule) }
    return {
      oauth2: {
        tokenUrl,
        clientId: fields.text('clientId', CLIENT),
        clientSecret: fields.secret('clientSecret', CLIENT, storedSecret(context, tokenUrl)),
        ...optional('scope', SCOPE),
        ...optional('audience', CLIENT),
        ...optional('resource', CLIENT),
      },
    }
  },
  clientCertificate: (auth, context) => {
    const { stored, webhook, urls } = context
    const names = ['certificate', 'key']
    const fields = fieldsOf(auth['clientCertificate'], 'clientCertificate', names, context)
    if (fields === undefined) return undefined
    const known = stored && 'clientCertificate' in stored ? stored.clientCertificate : undefined
    const before = urls.errors.length
    const pair = {
      certificate: fields.secret('certificate', PEM, known?.certificate),
      key: fields.secret('key', PEM, known?.key),
    }
    if (urls.errors.length === before) urls.errors.push(...pairErrors(pair, fields.pointer))
    if (webhook.url?.startsWith('http:')) {
      const message = 'A client certificate requires TLS.'
      urls.errors.push(fieldError(fields.pointer, 'https_required', message, 'Use an https URL.'))
    }
    return { clientCertificate: pair }
  },
}

/** Only the same token endpoint gets the stored secret. Otherwise, an editor could read it by changing the URL. */
function storedSecret({ stored }: AuthContext, tokenUrl: string): string | undefined {
  const known = stored && 'oauth2' in stored ? stored.oauth2 : undefined
  return known?.tokenUrl === tokenUrl ? known.clientSecret : undefined
}

function tokenUrlIn(input: unknown, { pointer, urls }: AuthContext): ClientCredentials['tokenUrl'] {
  const at = `${pointer}/oauth2/tokenUrl`
  const url = parseWebhookUrl(input, at, urls) ?? ''
  // The inspector would show the client secret in the body of the request.
  if (URL.parse(url)?.hostname === INSPECTOR_HOST) {
    const message = 'The inspector is not a token endpoint.'
    urls.errors.push(fieldError(at, 'not_allowed', message, 'Use the URL of a token endpoint.'))
  }
  if (url.includes('{{')) {
    const message = 'A token URL must not contain placeholders.'
    urls.errors.push(
      fieldError(at, 'placeholder_not_allowed', message, 'Use the same URL for all events.'),
    )
  }
  return url
}

interface TextRule {
  readonly pattern: RegExp
  readonly maxCharacters: number
  readonly hint: string
}

const maxCharacters = LIMITS.authCharacters

/** A password for Basic authentication (RFC 7617 §2). */
const PASSWORD = {
  pattern: /^[^\p{Cc}\p{Cs}]*$/u,
  maxCharacters,
  hint: 'Use text without control characters.',
}
const USER = {
  pattern: /^[^:\p{Cc}\p{Cs}]*$/u,
  maxCharacters,
  hint: 'Use text without colons or control characters.',
}
const BEARER = {
  pattern: /^[\x21-\x7e]+$/,
  maxCharacters,
  hint: 'Use the token without the word Bearer: visible ASCII characters without spaces.',
}
/** The id and secret of an OAuth client, and values sent with them (RFC 6749, appendix A). */
const CLIENT = { pattern: /^[\x20-\x7e]+$/, maxCharacters, hint: 'Use printable ASCII characters.' }
const SCOPE = {
  pattern: /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/,
  maxCharacters,
  hint: 'Use scopes separated by single spaces, or omit it.',
}
const PEM = {
  pattern: /-----BEGIN /,
  maxCharacters: LIMITS.pemCharacters,
  hint: 'Use PEM: text with -----BEGIN and -----END.',
}

type TextContext = Pick<AuthContext, 'pointer' | 'urls'>

/** Reads the fields of an object. Errors never quote values. */
function fieldsOf(input: unknown, kind: string, names: readonly string[], context: TextContext) {
  const pointer = `${context.pointer}/${kind}`
  const { urls } = context
  if (!isJsonObject(input)) {
    const hint = `Use an object with ${names.join(', ')}.`
    urls.errors.push(typeError(input, pointer, { name: kind, type: 'an object' }, hint))
    return undefined
  }
  urls.errors.push(...unknownFields(input, names, pointer))
  return {
    object: input,
    pointer,
    text: (name: string, rule: TextRule) => textIn(input, name, rule, { pointer, urls }),
    secret: (name: string, rule: TextRule, known: string | undefined) =>
      secretIn(input, name, rule, { pointer, urls, known }),
  }
}

function secretIn(
  object: JsonObject,
  name: string,
  rule: TextRule,
  { known, ...context }: TextContext & { readonly known: string | undefined },
): string {
  if (!isHidden(object[name])) return textIn(object, name, rule, context)
  if (known === undefined) {
    const hint = 'Send the value. A stored one is kept only for the same URL.'
    const message = `${name} has no stored value.`
    const pointer = `${context.pointer}/${name}`
    context.urls.errors.push(fieldError(pointer, 'hidden_value_unknown', message, hint))
  }
  return known ?? ''
}

function textIn(
  object: JsonObject,
  name: string,
  { pattern, maxCharacters: max, hint }: TextRule,
  { pointer, urls }: TextContext,
): string {
  const value = object[name]
  const at = `${pointer}/${name}`
  const { errors } = urls
  if (typeof value !== 'string') errors.push(typeError(value, at, { name, type: 'a string' }, hint))
  else if (value.length > max) {
    const fewer = `Use at most ${max} characters.`
    errors.push(fieldError(at, 'too_long', `${name} is too long.`, fewer))
  } else if (!pattern.test(value)) {
    const code = value === '' ? 'empty' : 'invalid_characters'
    errors.push(fieldError(at, code, `${name} is ${value === '' ? 'empty' : 'invalid'}.`, hint))
  }
  return typeof value === 'string' ? value : ''
}

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/

/**
 * An error unless TLS can use the certificate with the key. An expired certificate causes only a
 * warning.
 */
function pairErrors(
  { certificate, key }: ClientCertificate,
  pointer: string,
): readonly FieldError[] {
  const invalid = (name: string, hint: string): readonly FieldError[] => [
    fieldError(`${pointer}/${name}`, `invalid_${name}`, `The ${name} cannot be read.`, hint),
  ]
  const leaf = tryToParse(() => new X509Certificate(certificate))
  if (leaf === undefined)
    return invalid('certificate', 'Use the client certificate as PEM, with its intermediates.')
  if (PRIVATE_KEY.test(certificate)) {
    const message = 'The certificate contains a private key.'
    const hint = 'Use only certificates here, and the private key in key.'
    return [fieldError(`${pointer}/certificate`, 'private_key_in_certificate', message, hint)]
  }
  const privateKey = tryToParse(() => createPrivateKey(key))
  if (privateKey === undefined) return invalid('key', 'Use the private key as unencrypted PEM.')
  if (key.split(PRIVATE_KEY).length > 2) {
    const message = 'The key contains more than one private key.'
    const hint = 'Use only the key of the first certificate.'
    return [fieldError(`${pointer}/key`, 'too_many', message, hint)]
  }
  if (!leaf.checkPrivateKey(privateKey)) {
    const hint = 'Use the key of the first certificate.'
    const message = 'The key does not belong to the certificate.'
    return [fieldError(`${pointer}/key`, 'key_mismatch', message, hint)]
  }
  if (tryToParse(() => createSecureContext({ cert: certificate, key })) !== undefined) return []
  return invalid('certificate', 'Use a complete PEM with a key of at least 2,048 bits (RSA).')
}

function tryToParse<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}

const DAY_MS = 24 * 60 * 60 * 1000
const WARNED_MS = 30 * DAY_MS

/** The warning about a client certificate that has expired, or expires within 30 days. */
export function certificateWarning({ auth }: Webhook, pointer: string, now: number): FieldError[] {
  if (auth === undefined || !('clientCertificate' in auth)) return []
  const { expiresAt } = detailsOf(auth.clientCertificate)
  if (expiresAt > now + WARNED_MS) return []
  const isExpired = expiresAt <= now
  const at = `${pointer}/auth/clientCertificate/certificate`
  const message = `The client certificate ${isExpired ? 'expired' : 'expires'} at ${formatTimestamp(expiresAt)}.`
  const hint = 'Set a new certificate with its key. Receivers refuse an expired one.'
  return [fieldError(at, isExpired ? 'certificate_expired' : 'certificate_expires', message, hint)]
}
